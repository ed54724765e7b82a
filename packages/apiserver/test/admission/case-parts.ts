import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { Stage } from './cases.ts';

const API = 'admissionregistration.k8s.io/v1';
const ROOT = `/apis/${API}`;

/** Means only what is in the namespace of the case. */
export const ownNamespace = ({ namespace }: Stage): JsonObject => ({
  matchLabels: { 'kubernetes.io/metadata.name': namespace },
});

export const CONFIG_MAP_RULE = {
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

export const webhook = (stage: Stage, path: string, fields: JsonObject = {}): JsonObject => ({
  name: `${path}.perigee.example.com`,
  clientConfig: { url: `${stage.url}/${path}`, caBundle: stage.caBundle },
  rules: [CONFIG_MAP_RULE],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  namespaceSelector: ownNamespace(stage),
  ...fields,
});

type Given = readonly [path: string, body: JsonObject];

const configuration =
  (plural: string, kind: string) =>
  ({ namespace }: Stage, ...webhooks: readonly JsonObject[]): Given => [
    `${ROOT}/${plural}`,
    { apiVersion: API, kind, metadata: { name: namespace }, webhooks },
  ];

export const mutating = configuration(
  'mutatingwebhookconfigurations',
  'MutatingWebhookConfiguration',
);
export const validating = configuration(
  'validatingwebhookconfigurations',
  'ValidatingWebhookConfiguration',
);

export const policy = (stage: Stage, spec: JsonObject): Given => [
  `${ROOT}/validatingadmissionpolicies`,
  {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: stage.namespace },
    spec: {
      matchConstraints: {
        namespaceSelector: ownNamespace(stage),
        resourceRules: [CONFIG_MAP_RULE],
      },
      ...spec,
    },
  },
];

export const binding = ({ namespace }: Stage, spec: JsonObject = {}): Given => [
  `${ROOT}/validatingadmissionpolicybindings`,
  {
    apiVersion: API,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: namespace },
    spec: { policyName: namespace, validationActions: ['Deny'], ...spec },
  },
];

export const mutatingPolicy = (stage: Stage, spec: JsonObject): Given => [
  `${ROOT}/mutatingadmissionpolicies`,
  {
    apiVersion: API,
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: stage.namespace },
    spec: {
      matchConstraints: {
        namespaceSelector: ownNamespace(stage),
        resourceRules: [{ ...CONFIG_MAP_RULE, operations: ['CREATE', 'UPDATE'] }],
      },
      reinvocationPolicy: 'Never',
      ...spec,
    },
  },
];

export const mutatingBinding = ({ namespace }: Stage, spec: JsonObject = {}): Given => [
  `${ROOT}/mutatingadmissionpolicybindings`,
  {
    apiVersion: API,
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name: namespace },
    spec: { policyName: namespace, ...spec },
  },
];

export const configMapsOf = ({ namespace }: Stage): string =>
  `/api/v1/namespaces/${namespace}/configmaps`;

export const configMap = (
  name: string,
  data: { readonly [key: string]: string } = {},
  metadata: JsonObject = {},
): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data });

/** The creation of a config map, whose name and data are part of some messages. */
export const creation = (stage: Stage, data: { readonly [key: string]: string } = { a: '1' }) => ({
  method: 'POST',
  path: configMapsOf(stage),
  body: configMap('one', data),
});

/** The creation of a configuration that is only looked at. */
export const tried = ([path, body]: Given) => ({
  method: 'POST',
  path: `${path}?dryRun=All`,
  body,
});

export const denied = (status?: JsonValue): { readonly response: JsonObject } => ({
  response: { allowed: false, ...(status === undefined ? {} : { status }) },
});
