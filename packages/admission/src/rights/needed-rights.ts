import type { ResourceAttributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { copyRights } from './copy-rights.ts';
import { operationRights } from './operation-references.ts';
import { productRights } from './product-rights.ts';
import { secretRights } from './secret-rights.ts';

/** A right that it takes to write an object, beside that to write it. */
export interface NeededRight
  extends Pick<ResourceAttributes, 'verb' | 'apiGroup' | 'apiVersion' | 'resource' | 'name'> {
  /** The field that takes it. */
  readonly field: string;
  /** Empty for every namespace, and for what has none. */
  readonly namespace: string;
  /** Why it takes that right, as the beginning of a sentence. */
  readonly because: string;
  /** What the right is to do, such as `get the Secret "key"`. */
  readonly toDo: string;
}

/** Each right once, however often it is needed: an object may name one Secret thousands of times. */
const distinct = (rights: readonly NeededRight[]): readonly NeededRight[] => [
  ...new Map(
    rights.map((one) => [
      JSON.stringify([one.verb, one.apiGroup, one.resource, one.namespace, one.name]),
      one,
    ]),
  ).values(),
];

/** The rights that somebody must have who writes an object in place of the old one, because of what it does for them. */
export const neededRights = (
  kind: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] =>
  distinct([
    ...secretRights(kind, object, old),
    ...productRights(kind, object, old),
    ...operationRights(kind, object, old),
    ...copyRights(kind, object, old),
  ]);

export const wishFor = (
  user: UserInfo,
  { verb, apiGroup, apiVersion, resource, namespace, name }: NeededRight,
): ResourceAttributes => ({
  user,
  verb,
  apiGroup,
  apiVersion,
  resource,
  subresource: '',
  name,
  namespace,
});

/** Why a write is refused for want of a right. */
export const lacksRight = ({ name }: UserInfo, { field, because, toDo }: NeededRight): string =>
  `${field}: ${because}, and user ${goQuote(name)} cannot ${toDo}`;
