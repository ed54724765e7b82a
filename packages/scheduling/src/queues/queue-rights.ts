import type { Queue } from '@perigee/api/kinds/queues/queue';
import type { Labels } from '@perigee/api/values/label-requirement';
import { matchesLabels, parseLabelSelector } from '@perigee/api/values/label-selector';
import { type FieldError, invalid, ParseError } from '@perigee/schema/errors';

/**
 * Annotation with a label selector of namespaces that may use a queue and its descendants; all if
 * absent.
 */
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

/**
 * True if a namespace with these labels may use the queue. An invalid selector admits no namespace.
 */
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
