const FINAL = 0x80;
const MASKED = 0x80;
const LONGEST_CONTROL = 125;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

export const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 } as const;

/** A whole message of a server in one frame. */
export const frameOf = (opcode: number, payload: Uint8Array): Buffer => {
  const { length } = payload;
  const head = Buffer.alloc(length <= LONGEST_CONTROL ? 2 : length < 2 ** 16 ? 4 : 10);
  head[0] = FINAL | opcode;
  if (head.length === 2) {
    head[1] = length;
  } else if (head.length === 4) {
    head[1] = LENGTH_16;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = LENGTH_64;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, payload]);
};

/** A message that asks for something: everything else that a client sends is of no interest. */
export interface ControlMessage {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** Messages received from a client so far. */
export interface Received {
  /** The control messages that are complete. */
  readonly messages: readonly ControlMessage[];
  /** True if the client broke the protocol behind them: nothing more can be read. */
  readonly isBroken: boolean;
}

const unmask = (payload: Buffer, mask: Buffer): Buffer => {
  const plain = Buffer.from(payload);
  for (let at = 0; at < plain.length; at++) plain[at] = (plain[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return plain;
};

/** Parses frames of a client. Data frames are skipped as they arrive, without buffering. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of data that are still to come and to be skipped. */
  #skip = 0n;

  push(chunk: Buffer): Received {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const messages: ControlMessage[] = [];
    for (;;) {
      this.#skipData();
      const next = this.#skip > 0n ? 'more' : this.#next();
      if (next === 'broken' || next === 'more') return { messages, isBroken: next === 'broken' };
      if (next !== 'data') messages.push(next);
    }
  }

  #skipData(): void {
    const skippedBytes = Math.min(this.#rest.length, Number(this.#skip));
    this.#skip -= BigInt(skippedBytes);
    this.#rest = this.#rest.subarray(skippedBytes);
  }

  #next(): ControlMessage | 'data' | 'more' | 'broken' {
    const [first, second] = this.#rest;
    if (first === undefined || second === undefined) return 'more';
    if ((second & MASKED) === 0) return 'broken';
    const opcode = first & 0x0f;
    const short = second & 0x7f;
    const isControl = opcode >= OPCODES.close;
    if (isControl && (short > LONGEST_CONTROL || (first & FINAL) === 0)) return 'broken';
    const extra = short === LENGTH_16 ? 2 : short === LENGTH_64 ? 8 : 0;
    const head = 2 + extra + 4;
    if (this.#rest.length < head) return 'more';
    if (!isControl) {
      this.#skip =
        extra === 0
          ? BigInt(short)
          : extra === 2
            ? BigInt(this.#rest.readUInt16BE(2))
            : this.#rest.readBigUInt64BE(2);
      this.#rest = this.#rest.subarray(head);
      return 'data';
    }
    if (this.#rest.length < head + short) return 'more';
    const payload = unmask(
      this.#rest.subarray(head, head + short),
      this.#rest.subarray(head - 4, head),
    );
    this.#rest = this.#rest.subarray(head + short);
    return { opcode, payload };
  }
}
