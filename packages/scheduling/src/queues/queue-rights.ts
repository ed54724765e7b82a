import { type FieldError, invalid, ParseError } from '@perigee/api/errors';
import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { Labels } from '@perigee/api/values/label-requirement';
import { matchesLabels, parseLabelSelector } from '@perigee/api/values/label-selector';

/** Says by their labels which namespaces may use a queue and what is below it; all of them when it is absent. */
const NAMESPACES = 'queue.perigee.io/namespaces';

type Annotated = Pick<Queue, 'metadata'>;

export const namespacesProblems = ({ metadata }: Annotated): readonly FieldError[] => {
  const text = metadata.annotations?.[NAMESPACES];
  if (text === undefined) return [];
  try {
    parseLabelSelector(text);
    return [];
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    return [invalid(`metadata.annotations[${NAMESPACES}]`, text, error.message)];
  }
};

/** Whether work of a namespace with these labels may be in a queue. A selector that cannot be read lets nobody in. */
export const mayUse = ({ metadata }: Annotated, namespace: Labels): boolean => {
  const text = metadata.annotations?.[NAMESPACES];
  if (text === undefined) return true;
  try {
    return matchesLabels(parseLabelSelector(text), namespace);
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
};
