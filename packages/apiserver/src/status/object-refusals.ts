import type { ApiError } from '@perigee/kube/errors';
import type { FieldError } from '@perigee/schema/errors';
import { goQuote } from '@perigee/schema/go-text';
import { present } from '@perigee/schema/present';
import { detailsOf, inGroup, type NamedResource, refusal, type StatusCause } from './refusal.ts';

const objectText = ({ group, plural }: NamedResource, name: string): string =>
  `${inGroup(plural, group)} ${goQuote(name)}`;

const detailsAbout = ({ group, plural }: NamedResource, name: string) =>
  detailsOf(name, group, plural);

export const notFound = (resource: NamedResource, name: string): ApiError =>
  refusal(404, 'NotFound', `${objectText(resource, name)} not found`, detailsAbout(resource, name));

/** A create over an object that waits for its deletion may be retried. */
export const alreadyExists = (
  resource: NamedResource,
  name: string,
  isEnding = false,
): ApiError => {
  const why = `${objectText(resource, name)} already exists`;
  return refusal(
    409,
    'AlreadyExists',
    isEnding ? `object is being deleted: ${why}` : why,
    detailsAbout(resource, name),
  );
};

/** Chance gave only names that are taken: asking again may help. */
export const generatedNameTaken = (resource: NamedResource, name: string): ApiError =>
  refusal(
    409,
    'AlreadyExists',
    `${objectText(resource, name)} already exists, the server was not able to generate a unique name for the object`,
    { ...detailsAbout(resource, name), retryAfterSeconds: 1 },
  );

/** Why a write that was based on an older state is refused. */
const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

export const conflict = (resource: NamedResource, name: string, why: string = MODIFIED): ApiError =>
  refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${objectText(resource, name)}: ${why}`,
    detailsAbout(resource, name),
  );

/** Fields of a server-side apply belong to other managers; each cause names one of them. */
export const applyConflict = (message: string, causes: readonly StatusCause[]): ApiError =>
  refusal(409, 'Conflict', message, { causes });

export const forbidden = (
  resource: NamedResource,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiError => {
  const subject =
    name === '' ? inGroup(resource.plural, resource.group) : objectText(resource, name);
  return refusal(403, 'Forbidden', `${subject} is forbidden: ${why}`, {
    ...detailsAbout(resource, name),
    ...present({ causes }),
  });
};

/** The path is no resource, so the message has no name. */
export const forbiddenPath = (why: string): ApiError =>
  refusal(403, 'Forbidden', `forbidden: ${why}`, {});

/** Limit of problems in one response. */
const MOST_TOLD = 500;

export const invalidObject = (
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError => {
  const reportedErrors = errors.slice(0, MOST_TOLD);
  const rest = errors.length - reportedErrors.length;
  const texts = [...new Set(reportedErrors.map(({ field, message }) => `${field}: ${message}`))];
  if (rest > 0) texts.push(`and ${rest} more problems`);
  const why =
    texts.length > 1 ? `: [${texts.join(', ')}]` : texts.map((text) => `: ${text}`).join();
  return refusal(422, 'Invalid', `${inGroup(kind, group)} ${goQuote(name)} is invalid${why}`, {
    ...detailsOf(name, group, kind),
    causes: reportedErrors.map(({ reason, message, field }) => ({ reason, message, field })),
  });
};
