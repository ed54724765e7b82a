/** Writes protobuf by hand, for bodies that no recorded object shows. */

export const varint = (value: bigint | number): Buffer => {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return Buffer.from([...bytes, Number(rest)]);
};

export const number = (field: number, value: bigint | number): Buffer =>
  Buffer.concat([varint(field << 3), varint(value)]);

export const chunk = (field: number, ...parts: readonly (Buffer | string)[]): Buffer => {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};

export const envelope = (apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer =>
  Buffer.concat([
    Buffer.from('k8s\0'),
    chunk(1, chunk(1, apiVersion), chunk(2, kind)),
    chunk(2, ...fields),
    chunk(3),
    chunk(4),
  ]);
