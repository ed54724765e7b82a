const UNMARSHAL = /^json: cannot unmarshal (\w+)(?: \S+)? into Go .* of type (\S+)$/;

const KINDS: { readonly [jsonKind: string]: string } = {
  array: 'slice',
  object: 'map',
  number: 'int64',
};

/**
 * The error of a strategic merge patch about a value of another type than its field has: kube-apiserver does
 * not read the object from JSON there, and its words differ.
 */
export const restoreMismatch = (why: string): string => {
  // Only bytes are still read as JSON there.
  if (why.startsWith('illegal base64 data')) return `error decoding from json: ${why}`;
  const [, goType = '', type = ''] = UNMARSHAL.exec(why) ?? [];
  if (type === '') return why;
  const kind = KINDS[goType] ?? goType;
  if (type.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (type.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (type.includes('.')) return `cannot restore struct from: ${kind}`;
  return type === 'string' && kind === 'int64'
    ? 'cannot convert int64 to string'
    : `unrecognized type: ${type}`;
};
