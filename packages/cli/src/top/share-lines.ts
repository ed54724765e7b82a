/**
 * How many lines each part of a screen gets, of those that it would like to have. Everybody gets one more in turn
 * while there are any, so that a long part never pushes a short one out.
 */
export const shareLines = (wishes: readonly number[], room: number): readonly number[] => {
  const shares = wishes.map(() => 0);
  let rest = room;
  for (let isGiven = true; isGiven && rest > 0; ) {
    isGiven = false;
    for (const [at, wish] of wishes.entries()) {
      const share = shares[at] ?? 0;
      if (rest <= 0 || share >= wish) continue;
      shares[at] = share + 1;
      rest -= 1;
      isGiven = true;
    }
  }
  return shares;
};
