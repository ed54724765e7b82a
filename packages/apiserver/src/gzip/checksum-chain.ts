/** The polynomial of CRC-32 without its highest power, lowest bit first as the checksum has it. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x80000000;
const X = 0x40000000;

/** The product of two polynomials, modulo that of CRC-32. */
const product = (a: number, b: number): number => {
  let sum = 0;
  let factor = b;
  for (let rest = a; rest !== 0; rest <<= 1) {
    if (rest < 0) sum ^= factor;
    factor = (factor >>> 1) ^ (factor & 1 ? POLYNOMIAL : 0);
  }
  return sum | 0;
};

const squares: number[] = [X];
const squareOf = (at: number): number => {
  for (let size = squares.length; size <= at; size++) {
    const last = squares[size - 1] as number;
    squares.push(product(last, last));
  }
  return squares[at] as number;
};

/** The factor by which so many bytes that follow shift the checksum of those before. Takes logarithmic time. */
export const shiftOf = (bytes: number): number => {
  let shift = ONE | 0;
  // A byte has eight bits: the lowest digit counts x to the eighth.
  for (let rest = bytes, at = 3; rest > 0; rest = Math.floor(rest / 2), at++) {
    if (rest % 2 === 1) shift = product(squareOf(at), shift);
  }
  return shift;
};

/** The checksum of two parts in a row, from their own and the shift of the second, without their bytes. */
export const chainChecksums = (first: number, second: number, shift: number): number =>
  (product(shift, first) ^ second) >>> 0;
