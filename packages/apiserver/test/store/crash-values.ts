/** The value of a key after its n-th write; every third removes it. */
export const valueAfter = (n: number): number | undefined => (n % 3 === 2 ? undefined : n);
