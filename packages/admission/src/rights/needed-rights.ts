import { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { DataLoad } from '@perigee/api/kinds/flows/data-load';
import type { ResourceAttributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { goQuote } from '@perigee/schema/go-text';
import type { JsonObject } from '@perigee/schema/json';
import { objectAt, textAt } from '@perigee/schema/json-fields';
import { sameJson } from '@perigee/schema/same-json';
import { operationRights } from './operation-references.ts';
import { productRights } from './product-rights.ts';
import { type NamedSecret, releasedSecrets } from './secret-uses.ts';

const SECRET_REASON =
  'whoever names a Secret, or changes where its content goes, must be allowed to read it';

const toRead = ({ namespace, name }: NamedSecret): string => {
  const where = namespace === '' ? 'in every namespace' : `in the namespace ${goQuote(namespace)}`;
  return name === '' ? `list Secrets ${where}` : `get the Secret ${goQuote(name)} ${where}`;
};

/**
 * The control plane uses a Secret on behalf of the object that references it, so its author needs the permission to
 * read it.
 */
const secretRights = (
  kind: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] =>
  releasedSecrets(kind, object, old).map((secret) => ({
    field: secret.field,
    verb: secret.name === '' ? 'list' : 'get',
    apiGroup: '',
    apiVersion: 'v1',
    resource: 'secrets',
    namespace: secret.namespace,
    name: secret.name,
    because: SECRET_REASON,
    toDo: toRead(secret),
  }));

const asksForCopies = (object: JsonObject): boolean =>
  textAt(objectAt(object, 'spec'), 'onMissing') === 'Copy';

/**
 * For a claim with copies the control plane creates DataLoads in its namespace. Its author needs the permission to
 * create them, also to change the source, the targets or the size of the copies.
 */
const copyRights = (
  { group, plural }: { readonly group: string; readonly plural: string },
  object: JsonObject,
  old: JsonObject | undefined,
): readonly NeededRight[] => {
  if (group !== DataSourceClaim.group || plural !== DataSourceClaim.plural) return [];
  if (!asksForCopies(object)) return [];
  if (old !== undefined && sameJson(objectAt(object, 'spec'), objectAt(old, 'spec'))) return [];
  return [
    {
      field: 'spec.onMissing',
      verb: 'create',
      apiGroup: DataLoad.group,
      apiVersion: DataLoad.version,
      resource: DataLoad.plural,
      namespace: textAt(objectAt(object, 'metadata'), 'namespace'),
      name: '',
      because: 'the copies of a claim are made for whoever wrote the claim',
      toDo: 'create DataLoads in its namespace',
    },
  ];
};

/** A permission that a write takes, beside the one to write the object. */
export interface NeededRight
  extends Pick<ResourceAttributes, 'verb' | 'apiGroup' | 'apiVersion' | 'resource' | 'name'> {
  /** The field that takes it. */
  readonly field: string;
  /** Empty for every namespace, and for what has none. */
  readonly namespace: string;
  /** Why it takes that right, as the beginning of a sentence. */
  readonly because: string;
  /** The permission in words, such as `get the Secret "key"`. */
  readonly toDo: string;
}

/** Each permission once: an object may name one Secret thousands of times. */
const distinct = (rights: readonly NeededRight[]): readonly NeededRight[] => [
  ...new Map(
    rights.map((one) => [
      JSON.stringify([one.verb, one.apiGroup, one.resource, one.namespace, one.name]),
      one,
    ]),
  ).values(),
];

/**
 * The permissions that a user needs to replace the old object by the new one, because of the effects of the object.
 */
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

export const attributesFor = (
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

/** Message for a write without a permission. */
export const lacksRight = ({ name }: UserInfo, { field, because, toDo }: NeededRight): string =>
  `${field}: ${because}, and user ${goQuote(name)} cannot ${toDo}`;
