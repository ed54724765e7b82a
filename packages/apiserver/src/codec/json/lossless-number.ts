const WHOLE = /^-?\d+$/;
const LONGEST_SAFE_LITERAL = 15;
const INT64_MAX = 2n ** 63n - 1n;
const INT64_MIN = -(2n ** 63n);

/**
 * True if a number of a request comes back in replies as it was sent. Kubernetes keeps whole numbers of
 * 64 bits exactly, which JavaScript cannot: such a number is refused rather than silently changed. All
 * other numbers are floats to Kubernetes too, except those too large to be one.
 */
export const isLossless = (literal: string): boolean => {
  if (literal.length <= LONGEST_SAFE_LITERAL && !/[eE]/.test(literal)) return true;
  const value = Number(literal);
  if (!Number.isFinite(value)) return false;
  if (!WHOLE.test(literal) || String(value) === literal) return true;
  const exact = BigInt(literal);
  return exact > INT64_MAX || exact < INT64_MIN;
};
