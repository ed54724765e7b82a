import type { JsonObject } from '@perigee/schema/json';
import {
  CONFIG_MAP_RULE,
  configMap,
  configMapsOf,
  creation,
  denied,
  mutating,
  validating,
  webhook,
} from './case-parts.ts';
import type { CannedAnswer, MakeCase, Stage } from './cases.ts';

type Configure = typeof mutating;

/** One webhook and the creation of a config map. */
const asked =
  (
    name: string,
    configure: Configure,
    answer: CannedAnswer,
    fields: JsonObject = {},
    request: (stage: Stage) => ReturnType<typeof creation> = creation,
  ): MakeCase =>
  (stage) => ({
    name,
    answers: { hook: answer },
    given: [configure(stage, webhook(stage, 'hook', fields))],
    request: request(stage),
  });

const allow = { response: { allowed: true } };
const label = [{ op: 'add', path: '/data/b', value: '2' }];
const dryRun = (stage: Stage) => ({
  ...creation(stage),
  path: `${configMapsOf(stage)}?dryRun=All`,
});
const conditions = (...expressions: readonly string[]): JsonObject => ({
  matchConditions: expressions.map((expression, at) => ({ name: `c${at}`, expression })),
});
const patched = (patch: string, patchType: string | null = 'JSONPatch'): CannedAnswer => ({
  response: {
    allowed: true,
    patch: Buffer.from(patch).toString('base64'),
    ...(patchType === null ? {} : { patchType }),
  },
});

export const WEBHOOK_CASES: readonly MakeCase[] = [
  asked('a webhook that allows', validating, allow),
  asked('a webhook that warns', validating, {
    response: { allowed: true, warnings: ['first thing', 'second thing'] },
  }),
  asked('a refusal without a word', validating, denied()),
  asked('a refusal with a message', validating, denied({ message: 'not today' })),
  asked('a refusal with a reason only', validating, denied({ reason: 'Forbidden' })),
  asked('a refusal with a code', validating, denied({ message: 'teapot', code: 418 })),
  asked(
    'a refusal with code, reason and details',
    validating,
    denied({
      status: 'Failure',
      message: 'too many',
      reason: 'Forbidden',
      code: 403,
      details: { name: 'x', kind: 'y', causes: [{ message: 'because', field: 'data.a' }] },
    }),
  ),
  asked('a refusal that claims success', validating, denied({ status: 'Success', code: 200 })),
  asked('a refusal while mutating', mutating, denied({ message: 'no' })),
  asked('a patch', mutating, { patch: label }),
  asked('an empty patch', mutating, { patch: [] }),
  asked('a patch to a path that is not there', mutating, {
    patch: [{ op: 'replace', path: '/spec/x', value: '2' }],
  }),
  asked('a test that fails', mutating, { patch: [{ op: 'test', path: '/data/a', value: '2' }] }),
  asked('a patch that is no patch', mutating, patched('nonsense')),
  asked('a patch without a type', mutating, patched('[]', null)),
  asked(
    'a patch with another type',
    mutating,
    patched('[{"op":"remove","path":"/data"}]', 'Merge'),
  ),
  asked('a patch type without a patch', mutating, {
    response: { allowed: true, patchType: 'JSONPatch' },
  }),
  asked('a patch that makes the object invalid', mutating, {
    patch: [{ op: 'add', path: '/data/not~1allowed', value: '2' }],
  }),
  asked('a patch from a validating webhook', validating, { patch: label }),
  asked('an answer without a response', validating, {
    body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' },
  }),
  asked('an answer for another request', validating, { response: { uid: 'other', allowed: true } }),
  asked('an answer of another kind', validating, {
    body: { apiVersion: 'v1', kind: 'Pod', response: { uid: 'UID', allowed: true } },
  }),
  asked('an answer of an error', validating, { code: 500, text: 'broken' }),
  asked('an answer of not found', validating, { code: 404, text: 'nothing' }),
  asked(
    'an error that is ignored',
    validating,
    { code: 500, text: 'broken' },
    {
      failurePolicy: 'Ignore',
    },
  ),
  asked('no answer in time', validating, 'nothing', { timeoutSeconds: 1 }),
  asked('no answer in time, ignored', mutating, 'nothing', {
    timeoutSeconds: 1,
    failurePolicy: 'Ignore',
  }),
  asked('a dry run of a webhook that takes it', validating, denied(), {}, dryRun),
  asked(
    'a dry run of a webhook with side effects on others only',
    validating,
    denied(),
    {
      sideEffects: 'NoneOnDryRun',
    },
    dryRun,
  ),
  asked('a condition that holds', validating, denied(), conditions("object.data.a == '1'")),
  asked('a condition that does not', validating, denied(), conditions("object.data.a == '2'")),
  asked('a condition that fails', validating, allow, conditions("object.data.zzz == '2'")),
  asked(
    'two conditions that fail',
    validating,
    allow,
    conditions("object.data.zzz == '2'", "object.spec.yyy == '3'"),
  ),
  asked(
    'a condition that fails beside one that does not hold',
    validating,
    denied(),
    conditions("object.data.zzz == '2'", 'false'),
  ),
  asked('a condition that fails and is ignored', validating, denied(), {
    ...conditions("object.data.zzz == '2'"),
    failurePolicy: 'Ignore',
  }),
  asked(
    'a condition on the request',
    validating,
    denied(),
    conditions(
      "request.operation == 'CREATE' && request.resource.resource == 'configmaps' && request.name == 'one' && !has(request.subResource)",
    ),
  ),
  asked('an object selector that does not match', validating, denied(), {
    objectSelector: { matchLabels: { a: 'b' } },
  }),
  asked('a rule for another operation', validating, denied(), {
    rules: [{ ...CONFIG_MAP_RULE, operations: ['UPDATE'] }],
  }),
  asked('a rule for what is in no namespace', validating, denied(), {
    rules: [{ ...CONFIG_MAP_RULE, scope: 'Cluster' }],
  }),
  asked('a rule for subresources only', validating, denied(), {
    rules: [{ ...CONFIG_MAP_RULE, resources: ['configmaps/*'] }],
  }),
  asked('a rule for everything', validating, denied(), {
    rules: [{ ...CONFIG_MAP_RULE, apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
  }),
  (stage) => ({
    name: 'a refused deletion',
    answers: { hook: denied({ message: 'keep it' }) },
    given: [
      [configMapsOf(stage), configMap('one')],
      validating(
        stage,
        webhook(stage, 'hook', { rules: [{ ...CONFIG_MAP_RULE, operations: ['DELETE'] }] }),
      ),
    ],
    request: { method: 'DELETE', path: `${configMapsOf(stage)}/one` },
  }),
  (stage) => ({
    name: 'a refused deletion of a collection',
    answers: { hook: denied({ message: 'keep them' }) },
    given: [
      [configMapsOf(stage), configMap('one', {}, { labels: { mine: 'yes' } })],
      validating(
        stage,
        webhook(stage, 'hook', { rules: [{ ...CONFIG_MAP_RULE, operations: ['DELETE'] }] }),
      ),
    ],
    request: { method: 'DELETE', path: `${configMapsOf(stage)}?labelSelector=mine%3Dyes` },
  }),
  (stage) => ({
    name: 'a refused patch',
    answers: { hook: denied({ message: 'leave it' }) },
    given: [
      [configMapsOf(stage), configMap('one')],
      validating(
        stage,
        webhook(stage, 'hook', { rules: [{ ...CONFIG_MAP_RULE, operations: ['UPDATE'] }] }),
      ),
    ],
    request: {
      method: 'PATCH',
      path: `${configMapsOf(stage)}/one`,
      type: 'application/merge-patch+json',
      body: { data: { x: 'y' } },
    },
  }),
  (stage) => ({
    name: 'the first of two refusals',
    answers: { one: denied({ message: 'one' }), two: denied({ message: 'two' }) },
    given: [mutating(stage, webhook(stage, 'one'), webhook(stage, 'two'))],
    request: creation(stage),
  }),
];
