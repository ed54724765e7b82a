import { exactInteger } from '@perigee/schema/exact-json';
import { MalformedBodyError } from '../../errors.ts';

const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

/** A body has as many messages as a large object needs; each may cost much more memory than bytes. */
const MOST_MESSAGES = 500_000;
/** Deeper than any schema of a CRD that people write. */
const DEEPEST = 400;

const malformedError = (what: string): MalformedBodyError =>
  new MalformedBodyError('syntax', `the protobuf body is malformed: ${what}`);

/** Reads protobuf from the start to the end. Every method throws `MalformedBodyError` on bad input. */
export class WireReader {
  readonly #bytes: Buffer;
  #position = 0;
  #end: number;
  #depth = 0;
  #messages = 0;
  /** The number and the wire type of the field that `nextField` came to. */
  fieldNumber = 0;
  wireType = 0;
  /** After an error: the fields, from the outermost on, in which it was found. */
  readonly trail: string[] = [];
  /** The halves of the last varint, of 32 bits each, without sign. */
  #low = 0;
  #high = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  /** Goes on to the next field of the message; false at its end. */
  nextField(): boolean {
    if (this.#position >= this.#end) return false;
    this.#varint();
    this.fieldNumber = (this.#low >>> 3) | (this.#high << 29);
    this.wireType = this.#low & 7;
    if (this.fieldNumber <= 0 || this.#high > 0)
      throw malformedError('a field has no valid number');
    return true;
  }

  /** Skips the value of an unknown field. */
  skip(): void {
    switch (this.wireType) {
      case VARINT:
        this.#varint();
        return;
      case FIXED64:
        this.#advance(8);
        return;
      case BYTES:
        this.#advance(this.#length());
        return;
      case FIXED32:
        this.#advance(4);
        return;
      default:
        throw malformedError(`wire type ${this.wireType} is not in use`);
    }
  }

  int32(): number {
    this.#expect(VARINT);
    this.#varint();
    return this.#low | 0;
  }

  bool(): boolean {
    this.#expect(VARINT);
    this.#varint();
    return this.#low !== 0 || this.#high !== 0;
  }

  int64(): number | bigint {
    this.#expect(VARINT);
    this.#varint();
    const value = (this.#high | 0) * 0x1_0000_0000 + this.#low;
    if (Number.isSafeInteger(value)) return value;
    return exactInteger((BigInt(this.#high | 0) << 32n) | BigInt(this.#low));
  }

  float64(): number {
    this.#expect(FIXED64);
    const value = this.#bytes.readDoubleLE(this.#advance(8));
    if (Number.isFinite(value)) return value;
    throw new MalformedBodyError('number', `the number ${value} cannot be written in JSON`);
  }

  text(): string {
    const start = this.#chunk();
    return this.#bytes.toString('utf8', start, this.#position);
  }

  bytes(): Buffer {
    const start = this.#chunk();
    return this.#bytes.subarray(start, this.#position);
  }

  /** Goes into the value as a message, whose end now is the end; gives what `leave` wants back. */
  enter(): number {
    if (++this.#messages > MOST_MESSAGES)
      throw malformedError(`it has more than ${MOST_MESSAGES} messages`);
    if (++this.#depth > DEEPEST)
      throw malformedError(`messages nest deeper than ${DEEPEST} levels`);
    const start = this.#chunk();
    const outerEnd = this.#end;
    this.#end = this.#position;
    this.#position = start;
    return outerEnd;
  }

  /** Goes on after a message, all of which has been read. */
  leave(outerEnd: number): void {
    this.#end = outerEnd;
    this.#depth--;
  }

  /** Goes on to the next varint of a run in one chunk; false at its end. */
  nextPacked(): boolean {
    this.wireType = VARINT;
    return this.#position < this.#end;
  }

  #expect(wireType: number): void {
    if (this.wireType !== wireType) {
      throw malformedError(`a value of wire type ${this.wireType} stands where ${wireType} should`);
    }
  }

  /** Skips a length-delimited value, and returns its start; it ends at the position. */
  #chunk(): number {
    this.#expect(BYTES);
    return this.#advance(this.#length());
  }

  #length(): number {
    this.#varint();
    return this.#high * 0x1_0000_0000 + this.#low;
  }

  #advance(count: number): number {
    const start = this.#position;
    if (count > this.#end - start) throw malformedError('it ends in the middle of a value');
    this.#position = start + count;
    return start;
  }

  #varint(): void {
    let low = 0;
    let high = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#position < this.#end ? this.#bytes[this.#position++] : undefined;
      if (byte === undefined) throw malformedError('it ends in the middle of a value');
      const bits = byte & 0x7f;
      if (shift < 28) low |= bits << shift;
      else if (shift === 28) {
        low |= bits << 28;
        high = bits >>> 4;
      } else high |= bits << (shift - 32);
      if (byte < 0x80) {
        this.#low = low >>> 0;
        this.#high = high >>> 0;
        return;
      }
    }
    throw malformedError('a number has more than ten bytes');
  }
}
