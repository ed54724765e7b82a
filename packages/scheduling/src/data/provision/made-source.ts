import { createHash } from 'node:crypto';
import { admit } from '@perigee/api/kind/admit';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { InvalidObjectError } from '@perigee/schema/errors';
import { isJsonObject } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import { type DataQuestion, questionText } from './data-question.ts';
import type { FoundData } from './read-answer.ts';

/**
 * The request that the provisioner answered, as JSON. A user who removes it takes over the object.
 */
export const PROVISIONED_FOR = 'policy.perigee.io/provisioned-for';

const LONGEST_NAME = 253;
const DIGEST_DIGITS = 16;

/** The readable part of the name. It may collide for different data; the digest does not. */
const readable = ({ system, dataSourceType, dataSourceName = '' }: DataQuestion): string =>
  [system, dataSourceType, dataSourceName]
    .join('-')
    .toLowerCase()
    .slice(0, LONGEST_NAME - DIGEST_DIGITS - 1)
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .split('.')
    .map((label) => label.replace(/^-/, '').replace(/-$/, ''))
    .filter((label) => label !== '')
    .join('.');

/** A valid object name, unique per request. */
export const madeName = (question: DataQuestion): string => {
  const digest = createHash('sha256').update(questionText(question)).digest('hex');
  const parts = [readable(question), digest.slice(0, DIGEST_DIGITS)];
  return parts.filter((part) => part !== '').join('-');
};

const isQuestion = (value: unknown): value is DataQuestion =>
  isJsonObject(value) &&
  typeof value.system === 'string' &&
  typeof value.dataSourceType === 'string';

/**
 * The request that a provisioned source answers; undefined if a person wrote it, or copied it under
 * another name.
 */
export const askedFor = ({ metadata }: Pick<DataSource, 'metadata'>): DataQuestion | undefined => {
  const text = metadata.annotations?.[PROVISIONED_FOR];
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isQuestion(value) && madeName(value) === metadata.name ? value : undefined;
  } catch {
    return undefined;
  }
};

/** Builds the DataSource of an answer, or reports why the answer is invalid. */
export const madeSource = (
  question: DataQuestion,
  { name, locality, attributes, size }: FoundData,
): { readonly source: DataSource } | { readonly problem: string } => {
  const finalAttributes = attributes ?? question.attributes;
  try {
    const { object } = admit(DataSource, {
      metadata: {
        name: madeName(question),
        annotations: { [PROVISIONED_FOR]: questionText(question) },
      },
      spec: {
        system: question.system,
        type: question.dataSourceType,
        name: question.dataSourceName ?? name,
        locality,
        ...present({ attributes: finalAttributes, size }),
        reclaimPolicy: 'Delete',
      },
    });
    return { source: object };
  } catch (error) {
    if (!(error instanceof InvalidObjectError)) throw error;
    return { problem: error.message };
  }
};
