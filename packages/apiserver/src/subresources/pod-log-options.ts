import type { PodLogRequest } from '@perigee/kube/client/pod-logs';
import { type FieldError, forbidden, invalid, ParseError } from '@perigee/schema/errors';
import { present } from '@perigee/schema/present';
import { parseTime } from '@perigee/schema/values/time';
import { count, flag } from '../request/query.ts';
import { invalidObject } from '../status/object-refusals.ts';
import { badRequest } from '../status/request-refusals.ts';

/** Options of a log request, beside the pod. */
export interface PodLogOptions
  extends Pick<PodLogRequest, 'follow' | 'timestamps' | 'tailLines' | 'since' | 'limitBytes'> {
  /** Empty when the pod has only one. */
  readonly container: string;
  readonly previous: boolean;
}

const OPTIONS = { group: '', kind: 'PodLogOptions' };
const NEGATIVE = 'must be greater than or equal to 0';
const NOT_POSITIVE = 'must be greater than 0';

const moment = (query: URLSearchParams): number | undefined => {
  const text = query.get('sinceTime') ?? '';
  if (text === '') return undefined;
  try {
    return parseTime(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw badRequest(error.message);
  }
};

/** Reads the options of a query as kube-apiserver does, and refuses those that make no sense. */
export const podLogOptions = (query: URLSearchParams, pod: string, now: number): PodLogOptions => {
  const tailLines = count(query, 'tailLines');
  const limitBytes = count(query, 'limitBytes');
  const sinceSeconds = count(query, 'sinceSeconds');
  const sinceTime = moment(query);
  const errors: FieldError[] = [];
  if (tailLines !== undefined && tailLines < 0) {
    errors.push(invalid('tailLines', tailLines, NEGATIVE));
  }
  if (limitBytes !== undefined && limitBytes < 1) {
    errors.push(invalid('limitBytes', limitBytes, NOT_POSITIVE));
  }
  if (sinceSeconds !== undefined && sinceTime !== undefined) {
    errors.push(forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1) {
    errors.push(invalid('sinceSeconds', sinceSeconds, NOT_POSITIVE));
  }
  if (query.has('stream')) errors.push(forbidden('stream', 'may not be specified'));
  if (errors.length > 0) throw invalidObject(OPTIONS, pod, errors);
  const since = sinceSeconds === undefined ? sinceTime : now - sinceSeconds * 1000;
  return {
    container: query.get('container') ?? '',
    previous: flag(query, 'previous') === true,
    follow: flag(query, 'follow') === true,
    timestamps: flag(query, 'timestamps') === true,
    ...present({ tailLines, limitBytes, since }),
  };
};
