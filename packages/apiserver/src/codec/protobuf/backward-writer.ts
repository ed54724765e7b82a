const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/**
 * Writes protobuf from the end to the start, so that the length of a message is known when its head is written:
 * there is no measuring pass and no copy. Callers write fields in reverse order.
 */
export class BackwardWriter {
  #bytes = Buffer.allocUnsafe(1 << 16);
  #start = this.#bytes.length;

  text(field: number, value: string): void {
    const length = Buffer.byteLength(value);
    this.#reserve(length);
    this.#bytes.write(value, this.#start);
    this.#prefix(field, length);
  }

  bool(field: number, value: boolean): void {
    this.#varint(Number(value));
    this.#varint(field * 8 + VARINT);
  }

  int64(field: number, value: number): void {
    if (value < 0) this.#negative(BigInt(value));
    else this.#varint(value);
    this.#varint(field * 8 + VARINT);
  }

  double(field: number, value: number): void {
    this.#reserve(8);
    this.#bytes.writeDoubleLE(value, this.#start);
    this.#varint(field * 8 + FIXED64);
  }

  message(field: number, write: () => void): void {
    // From the end, since the bytes move to a larger buffer when they fill this one.
    const before = this.#bytes.length - this.#start;
    write();
    this.#prefix(field, this.#bytes.length - this.#start - before);
  }

  written(): Buffer {
    return this.#bytes.subarray(this.#start);
  }

  #prefix(field: number, length: number): void {
    this.#varint(length);
    this.#varint(field * 8 + BYTES);
  }

  #varint(value: number): void {
    let bytes = 1;
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes++;
    this.#reserve(bytes);
    let rest = value;
    for (let at = 0; at < bytes; at++) {
      this.#bytes[this.#start + at] = (rest % 0x80) + (at < bytes - 1 ? 0x80 : 0);
      rest = Math.floor(rest / 0x80);
    }
  }

  /** Two's complement in 64 bits always takes ten bytes. */
  #negative(value: bigint): void {
    this.#reserve(10);
    let rest = BigInt.asUintN(64, value);
    for (let at = 0; at < 10; at++) {
      this.#bytes[this.#start + at] = Number(rest & 0x7fn) + (at < 9 ? 0x80 : 0);
      rest >>= 7n;
    }
  }

  #reserve(bytes: number): void {
    if (this.#start < bytes) {
      const writtenBytes = this.written();
      const larger = Buffer.allocUnsafe(
        Math.max(2 * this.#bytes.length, writtenBytes.length + bytes),
      );
      writtenBytes.copy(larger, larger.length - writtenBytes.length);
      this.#start = larger.length - writtenBytes.length;
      this.#bytes = larger;
    }
    this.#start -= bytes;
  }
}
