import type { Kind } from '@perigee/api/kind/define-kind';
import { allKinds } from '@perigee/api/kinds/all-kinds';
import { Queue } from '@perigee/api/kinds/queues/queue';
import type { JsonObject } from '@perigee/schema/json';
import { DELETION_PROTECTED } from '../kinds/deletion-protection.ts';

/** Address of the admission server as seen from the cluster: a URL, or a service. */
export type AdmissionTarget = { readonly caBundle: string } & (
  | { readonly url: string }
  | {
      readonly service: {
        readonly namespace: string;
        readonly name: string;
        readonly port?: number;
      };
    }
);

const API_VERSION = 'admissionregistration.k8s.io/v1';

const clientConfig = (target: AdmissionTarget, path: string): JsonObject => {
  const { caBundle } = target;
  return 'url' in target
    ? { url: `${target.url.replace(/\/$/, '')}${path}`, caBundle }
    : { service: { ...target.service, path }, caBundle };
};

/** One rule for each group and version. */
const rulesFor = (kinds: readonly Kind[]): readonly JsonObject[] =>
  [...Map.groupBy(kinds, ({ group, version }) => `${group}/${version}`).values()].map((same) => ({
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [same[0]?.group ?? ''],
    apiVersions: [same[0]?.version ?? ''],
    resources: same.map(({ plural }) => plural),
    scope: '*',
  }));

const webhook = (
  name: string,
  target: AdmissionTarget,
  path: string,
  matchRules: readonly JsonObject[],
): JsonObject => ({
  name,
  clientConfig: clientConfig(target, path),
  rules: matchRules,
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  sideEffects: 'None',
  timeoutSeconds: 10,
  admissionReviewVersions: ['v1'],
});

/** Matches deletions of all objects with the label; no other request waits for this webhook. */
const protection = (target: AdmissionTarget): JsonObject => ({
  ...webhook('deletion-protection.perigee.dev', target, '/validate', [
    { operations: ['DELETE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], scope: '*' },
  ]),
  objectSelector: { matchExpressions: [{ key: DELETION_PROTECTED, operator: 'Exists' }] },
});

/** A queue with work or with others below it is not deleted. */
const queueDeletion = (target: AdmissionTarget): JsonObject =>
  webhook('queue-deletion.perigee.dev', target, '/validate', [
    {
      operations: ['DELETE'],
      apiGroups: [Queue.group],
      apiVersions: [Queue.version],
      resources: [Queue.plural],
      scope: '*',
    },
  ]);

/**
 * The configurations that make a cluster ask the admission server about kinds: every kind of the language, and
 * deletions, unless some are chosen.
 * @param caBundle Certificates in PEM, in Base64, as the API wants them.
 */
export const webhookConfigurations = (
  target: AdmissionTarget,
  name = 'perigee',
  selectedKinds?: readonly Kind[],
): readonly [mutating: JsonObject, validating: JsonObject] => [
  {
    apiVersion: API_VERSION,
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        ...webhook('mutate.perigee.dev', target, '/mutate', rulesFor(selectedKinds ?? allKinds)),
        reinvocationPolicy: 'IfNeeded',
      },
    ],
  },
  {
    apiVersion: API_VERSION,
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      webhook('validate.perigee.dev', target, '/validate', rulesFor(selectedKinds ?? allKinds)),
      ...(selectedKinds === undefined ? [protection(target)] : []),
      ...((selectedKinds ?? allKinds).includes(Queue) ? [queueDeletion(target)] : []),
    ],
  },
];
