/**
 * True if a link stays in its tree, however the other links of the tree lie. It has to be relative, and
 * may climb only at its beginning, and no further than the folder is deep. A `..` after a name would
 * climb from wherever that name leads, if it is a link itself.
 */
export const staysInside = (linkTo: Buffer, folderDepth: number): boolean => {
  const steps = linkTo.toString('latin1').split('/');
  if (linkTo.length === 0 || steps[0] === '') return false;
  const plain = steps.filter((step) => step !== '.' && step !== '');
  const climbs = plain.findIndex((step) => step !== '..');
  const up = climbs === -1 ? plain.length : climbs;
  return up <= folderDepth && !plain.slice(up).includes('..');
};
