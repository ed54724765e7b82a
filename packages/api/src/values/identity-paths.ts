import { isSystemMark } from './system-marks.ts';

/** The fields that say which object it is; what it contains may differ from cluster to cluster, these may not. */
export const IDENTITY: readonly (readonly string[])[] = [
  ['apiVersion'],
  ['kind'],
  ['metadata', 'namespace'],
  ['metadata', 'name'],
  ['metadata', 'uid'],
  ['metadata', 'generation'],
];

/** The words of a JSON pointer. */
export const pointerWords = (pointer: string): readonly string[] =>
  pointer === ''
    ? []
    : pointer
        .slice(1)
        .split('/')
        .map((word) => word.replaceAll('~1', '/').replaceAll('~0', '~'));

const isPrefix = (shorter: readonly string[], longer: readonly string[]): boolean =>
  shorter.length <= longer.length && shorter.every((word, at) => word === longer[at]);

/** True if a change at a JSON pointer changes which object it is: a field of its identity, or what holds one. */
export const touchesIdentity = (pointer: string): boolean => {
  const words = pointerWords(pointer);
  return IDENTITY.some((field) => isPrefix(words, field) || isPrefix(field, words));
};

/** The mark of the system that a JSON pointer leads to, if it leads to one. */
export const markAt = (pointer: string): string | undefined => {
  const [metadata, field = '', key = ''] = pointerWords(pointer);
  const isWords = metadata === 'metadata' && ['labels', 'annotations'].includes(field);
  return isWords && isSystemMark(key) ? key : undefined;
};

/** True if a JSON pointer leads to all labels or all annotations of an object. */
export const isAllWords = (pointer: string): boolean =>
  pointer === '/metadata/labels' || pointer === '/metadata/annotations';
