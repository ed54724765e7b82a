import type { JsonObject, JsonValue } from '@perigee/schema/json';
import type { EmbeddedServerOptions } from '../../src/embedded/embedded-server.ts';
import { startServer } from '../embedded/embedded-fixture.ts';
import { type Answer, CA_BUNDLE, startWebhook } from '../webhook/webhook-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
export const MUTATING = `${GROUP}/mutatingwebhookconfigurations`;
export const VALIDATING = `${GROUP}/validatingwebhookconfigurations`;
export const POLICIES = `${GROUP}/validatingadmissionpolicies`;
export const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

export const configMap = (name: string, data: JsonObject = {}, metadata: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
});

/** The answer to a review: yes unless told otherwise. */
export const reviewed = (review: JsonObject, response: JsonObject = {}): JsonObject => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: (review.request as JsonObject).uid, allowed: true, ...response },
});

export const patchOf = (...operations: readonly JsonValue[]): JsonObject => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

export const CONFIG_MAP_RULE = {
  operations: ['*'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['configmaps'],
};

/** A server with one webhook that answers as told. */
export const startWithWebhook = async (
  answer: (review: JsonObject) => Answer | Promise<Answer>,
  options: Partial<EmbeddedServerOptions> = {},
) => {
  const webhook = await startWebhook(answer);
  const api = await startServer(options);
  const hook = (fields: JsonObject = {}): JsonObject => ({
    name: 'one.example.com',
    clientConfig: { url: webhook.url, caBundle: CA_BUNDLE },
    rules: [CONFIG_MAP_RULE],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    ...fields,
  });
  const configure = async (path: string, ...webhooks: readonly JsonObject[]) => {
    const kind =
      path === MUTATING ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration';
    const made = await api.send('POST', path, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind,
      metadata: { generateName: 'test-' },
      webhooks: webhooks.map(hook),
    });
    if (made.code !== 201) throw new Error(JSON.stringify(made.body));
  };
  return {
    ...api,
    webhook,
    hook,
    configure,
    requests: () => webhook.calls.map(({ body }) => body.request as JsonObject),
    [Symbol.asyncDispose]: async () => {
      await api[Symbol.asyncDispose]();
      await webhook[Symbol.asyncDispose]();
    },
  };
};
