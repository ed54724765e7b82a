import type { JsonObject } from '@perigee/schema/json';
import { objectIn, objectsIn, textIn, withField } from '../../interpreter/fields.ts';
import { withoutWords } from './words.ts';

/** Server-populated metadata of the control plane's API server, meaningless in a member. */
const SERVER_FIELDS: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
  'ownerReferences',
  'finalizers',
]);

const JOB_OWNER_LABELS = ['controller-uid', 'batch.kubernetes.io/controller-uid'];
const JOB_LABELS = [...JOB_OWNER_LABELS, 'job-name', 'batch.kubernetes.io/job-name'];

const without = (object: JsonObject, fields: ReadonlySet<string>): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([field]) => !fields.has(field)));

const dropAt = (
  object: JsonObject,
  path: readonly string[],
  fields: readonly string[],
): JsonObject => {
  const words = objectIn(object, ...path);
  return fields.some((field) => field in words)
    ? withField(object, path, without(words, new Set(fields)))
    : object;
};

/**
 * The member's TTL controller would delete the finished copy, which would then be created again,
 * forever.
 */
const pruneJob = (job: JsonObject): JsonObject => {
  const lastingJob = dropAt(job, ['spec'], ['ttlSecondsAfterFinished']);
  if (objectIn(job, 'spec').manualSelector === true) return lastingJob;
  return dropAt(
    dropAt(lastingJob, ['spec', 'selector', 'matchLabels'], JOB_OWNER_LABELS),
    ['spec', 'template', 'metadata', 'labels'],
    JOB_LABELS,
  );
};

/** Each member allocates its own cluster IP; a headless Service stays headless. */
const pruneService = (service: JsonObject): JsonObject => {
  const address = textIn(service, 'spec', 'clusterIP');
  return address === '' || address === 'None'
    ? service
    : dropAt(service, ['spec'], ['clusterIP', 'clusterIPs']);
};

const pruneServiceAccount = (account: JsonObject): JsonObject => {
  const prefix = `${textIn(account, 'metadata', 'name')}-token-`;
  const secrets = objectsIn(account, 'secrets');
  const own = secrets.filter((secret) => !textIn(secret, 'name').startsWith(prefix));
  return own.length === secrets.length ? account : { ...account, secrets: own };
};

const pruneSecret = (secret: JsonObject): JsonObject =>
  secret.type === 'kubernetes.io/service-account-token'
    ? withoutWords(without(secret, new Set(['data'])), 'annotations', [
        'kubernetes.io/service-account.uid',
      ])
    : secret;

const PRUNERS: ReadonlyMap<string, (object: JsonObject) => JsonObject> = new Map([
  ['Job', pruneJob],
  ['Service', pruneService],
  ['ServiceAccount', pruneServiceAccount],
  ['Secret', pruneSecret],
  [
    'Deployment',
    (object) =>
      withoutWords(object, 'annotations', [
        'deployment.kubernetes.io/revision',
        'deployment.kubernetes.io/revision-history',
      ]),
  ],
  [
    'PersistentVolumeClaim',
    (object) => withoutWords(object, 'annotations', ['volume.kubernetes.io/selected-node']),
  ],
]);

/** The object without server-populated fields, ready for a member. */
export const prune = (object: JsonObject): JsonObject => {
  const { status, ...fields } = object;
  const bare = { ...fields, metadata: without(objectIn(object, 'metadata'), SERVER_FIELDS) };
  return PRUNERS.get(textIn(object, 'kind'))?.(bare) ?? bare;
};
