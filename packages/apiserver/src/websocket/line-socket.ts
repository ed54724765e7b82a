import type { Duplex } from 'node:stream';
import { Writable } from 'node:stream';
import { type ControlMessage, FrameReader, frameOf, OPCODES } from './frames.ts';

const NEWLINE = 0x0a;
const NORMAL = 1000;
const PROTOCOL_ERROR = 1002;
/** Limit of unread output; pings get no pong beyond it. */
const MOST_UNREAD_BYTES = 2 ** 20;

const closeFrame = (code: number): Buffer => {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return frameOf(OPCODES.close, payload);
};

/** Each line of the bytes as one text message. */
const messagesOf = (bytes: Buffer): Buffer => {
  const frames: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline < 0 ? bytes.length : newline + 1;
    frames.push(frameOf(OPCODES.text, bytes.subarray(start, end)));
    start = end;
  }
  return Buffer.concat(frames);
};

/**
 * A stream of whole lines over a connection that has become a WebSocket. It takes no more than the client
 * reads, answers pings, and ends when the client closes.
 */
export const lineSocket = (socket: Duplex, head: Buffer): Writable => {
  const reader = new FrameReader();
  const answer = ({ opcode, payload }: ControlMessage): void => {
    const isRead = socket.writableLength < MOST_UNREAD_BYTES;
    if (opcode === OPCODES.ping && isRead) socket.write(frameOf(OPCODES.pong, payload));
    if (opcode === OPCODES.close) close(frameOf(OPCODES.close, payload));
  };
  const close = (frame: Buffer): void => {
    socket.end(frame, () => socket.destroy());
    lines.destroy();
  };
  const read = (chunk: Buffer): void => {
    const { messages, isBroken } = reader.push(chunk);
    for (const message of messages) answer(message);
    if (isBroken) close(closeFrame(PROTOCOL_ERROR));
  };
  const lines = new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      if (!socket.writable || socket.write(messagesOf(bytes))) return void done();
      socket.once('drain', done);
    },
    final: (done) => {
      if (socket.writable) socket.end(closeFrame(NORMAL), () => socket.destroy());
      done();
    },
  });
  socket.on('data', read);
  socket.once('close', () => lines.destroy());
  if (head.length > 0) read(head);
  return lines;
};
