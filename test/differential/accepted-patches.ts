import { type AcceptedDifference, textOf } from './accepted-difference.ts';

/** Accepted differences of patches, most of them detours or failures of kube-apiserver. */
export const ACCEPTED_OF_PATCHES: readonly AcceptedDifference[] = [
  {
    why: 'a JSON patch that does not fit is told what does not fit',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.patchType === 'json' &&
      ((path === 'body.message' &&
        right === 'the server rejected our request due to an error in our request') ||
        path === 'body.details'),
  },
  {
    why: 'who takes the version away is not told that nothing is known without it',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.verb === 'patch' &&
      (path === 'warnings' || path === 'status') &&
      /unknown field \\*"metadata/.test(textOf(right)),
  },
  {
    why: 'a list that a patch leaves empty is none, and no change of what a policy wants',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.kind === 'NetworkPolicy' &&
      about.patchType === 'strategic' &&
      /^body.metadata.(generation|resourceVersion)$/.test(path),
    parts: true,
  },
  {
    why: 'what a node can give is its capacity again at once, where kube-apiserver takes it from its owner first',
    covers: (about, { path, right }) =>
      typeof about !== 'string' &&
      about.kind === 'Node' &&
      about.patchType === 'strategic' &&
      JSON.stringify(about.patch).includes('"$patch":"delete"') &&
      /managedFields.*f:allocatable$/.test(path) &&
      right === undefined,
    parts: true,
  },
  {
    why: 'of several values that do not fit their fields, the first in the document is told',
    covers: (about, { left, right, path }) =>
      typeof about !== 'string' &&
      (about.patchType === 'strategic' || about.patchType === 'json') &&
      /^body.(message|details.causes)$/.test(path) &&
      [left, right].every((side) =>
        /: (unrecognized type: \w+|(json: )?cannot (restore|convert|unmarshal) [\w.: ]+)("|$)/.test(
          textOf(side),
        ),
      ),
  },
  {
    why: 'an order for a list in which nothing is left is none, where kube-apiserver answers 500',
    covers: (about, { right, path }) =>
      typeof about !== 'string' &&
      about.patchType === 'strategic' &&
      path === 'status' &&
      /"status":500.*no elements in any of the given slices/.test(textOf(right)),
  },
  {
    why: 'a JSON patch tests what is there, where kube-apiserver compares it with HTML',
    covers: (about, { path }, { right }) =>
      typeof about !== 'string' &&
      about.patchType === 'json' &&
      JSON.stringify(about.patch).includes('"op":"test"') &&
      JSON.stringify(about.patch).includes('<a> & b') &&
      (path === 'status' || path === 'warnings' || path.startsWith('body.')) &&
      textOf(right).includes('the server rejected our request'),
  },
  {
    why: 'an owner that a patch names twice belongs to whoever named it first',
    covers: (about, { path }) =>
      typeof about !== 'string' &&
      about.verb === 'patch' &&
      (path.includes('managedFields') || path === 'body.metadata.resourceVersion') &&
      /"uid":("[^"]+").*"uid":\1/.test(JSON.stringify(about.patch)),
    parts: true,
  },
];
