import { isJsonObject } from '@perigee/schema/json';
import type { Normaliser } from '../../kind/define-kind.ts';

/**
 * In the Global Resource Scheduler the status of an object is one word. A known word becomes the
 * phase of the status object; any other has nothing that we keep, so the stored status stays.
 */
export const statusFromWord =
  (phaseOfWord: { readonly [word: string]: string }): Normaliser =>
  (input, old) => {
    const { status: word, ...rest } = input;
    if (typeof word !== 'string') return input;
    const oldStatus = isJsonObject(old?.status) ? old.status : undefined;
    const phase = Object.hasOwn(phaseOfWord, word) ? phaseOfWord[word] : undefined;
    if (phase !== undefined) return { ...rest, status: { ...oldStatus, phase } };
    return oldStatus === undefined ? rest : { ...rest, status: oldStatus };
  };
