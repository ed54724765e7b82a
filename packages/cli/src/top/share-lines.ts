/**
 * Divides the lines of a screen among its sections. They get one line each in turn, up to what they need, so that a
 * long section never pushes out a short one.
 */
export const shareLines = (demands: readonly number[], room: number): readonly number[] => {
  const shares = demands.map(() => 0);
  let rest = room;
  for (let isGiven = true; isGiven && rest > 0; ) {
    isGiven = false;
    for (const [at, demand] of demands.entries()) {
      const share = shares[at] ?? 0;
      if (rest <= 0 || share >= demand) continue;
      shares[at] = share + 1;
      rest -= 1;
      isGiven = true;
    }
  }
  return shares;
};
