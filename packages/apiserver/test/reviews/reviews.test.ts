import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@perigee/schema/json';
import type { Access } from '../../src/access/access.ts';
import { serverResources } from '../../src/embedded/server-resources.ts';
import { createOrAct } from '../../src/subresources/create-or-act.ts';
import { serveApi } from '../http/http-fixture.ts';
import { resourceOf, setUpBuiltinApi } from '../kinds/builtin-api.ts';
import { refused } from '../registry/registry-fixture.ts';

const AUTHENTICATION = 'authentication.k8s.io/v1';
const AUTHORIZATION = 'authorization.k8s.io/v1';
const BOB = { name: 'bob', groups: ['devs'] };

/** Lets one user create pods, and knows one token. */
const strict: Access = {
  allowed: (wish) =>
    wish.user.name === 'bob' && wish.verb === 'create'
      ? { allowed: true, reason: 'because' }
      : { allowed: false },
  rulesFor: ({ name }, namespace) => ({
    resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: [`${name}-in-${namespace}`] }],
    nonResourceRules: [],
    incomplete: true,
  }),
  ownerOf: (token) => (token === 'good' ? { user: BOB } : { problem: 'invalid bearer token' }),
};

const ask = async (review: JsonObject, access?: Access, namespace?: string) => {
  const { registry } = await setUpBuiltinApi();
  const answer = await createOrAct(
    { ...registry, ...(access === undefined ? {} : { access }) },
    resourceOf(review),
    { body: review, user: BOB, ...(namespace === undefined ? {} : { namespace }) },
  );
  assert.equal(registry.store.tables('root/authorization').length, 0);
  return answer;
};

const accessReview = (kind: string, spec: JsonObject): JsonObject => ({
  apiVersion: AUTHORIZATION,
  kind,
  spec,
});

const CREATE_PODS = { resourceAttributes: { verb: 'create', resource: 'pods' } };

describe('reviews', () => {
  it('tell who asks', async () => {
    const { status } = await ask({ apiVersion: AUTHENTICATION, kind: 'SelfSubjectReview' });
    assert.deepEqual(status, { userInfo: { username: 'bob', groups: ['devs'] } });
  });

  it('tell whose a token is', async () => {
    const review = (token: string) => ({
      apiVersion: AUTHENTICATION,
      kind: 'TokenReview',
      spec: { token },
    });
    const known = await ask(review('good'), strict);
    assert.deepEqual(known.status, {
      authenticated: true,
      user: { username: 'bob', groups: ['devs'] },
    });
    const unknown = await ask(review('bad'), strict);
    assert.deepEqual(unknown.status, { user: {}, error: 'invalid bearer token' });
    await assert.rejects(ask(review('')), refused(400, 'BadRequest'));
  });

  it('tell what oneself and others may do', async () => {
    const self = (spec: JsonObject) => ask(accessReview('SelfSubjectAccessReview', spec), strict);
    assert.deepEqual((await self(CREATE_PODS)).status, { allowed: true, reason: 'because' });
    const read = { resourceAttributes: { verb: 'get', resource: 'pods' } };
    assert.deepEqual((await self(read)).status, { allowed: false });
    const other = (spec: JsonObject) => ask(accessReview('SubjectAccessReview', spec), strict);
    assert.deepEqual((await other({ ...CREATE_PODS, user: 'eve' })).status, { allowed: false });
    await assert.rejects(other(CREATE_PODS), /at least one of user or group must be specified/);
    await assert.rejects(self({}), /exactly one of nonResourceAttributes or resourceAttributes/);
  });

  it('of one namespace are about that namespace', async () => {
    const local = (namespace: string) =>
      ask(
        accessReview('LocalSubjectAccessReview', {
          user: 'bob',
          resourceAttributes: { namespace, verb: 'create', resource: 'pods' },
        }),
        strict,
        'default',
      );
    const { metadata, status } = await local('default');
    assert.deepEqual(metadata, { namespace: 'default' });
    assert.deepEqual(status, { allowed: true, reason: 'because' });
    await assert.rejects(local('other'), /must match metadata\.namespace/);
  });

  it('list what one may do', async () => {
    const review = accessReview('SelfSubjectRulesReview', { namespace: 'n' });
    const { spec, status } = await ask(review, strict);
    assert.deepEqual(spec, {});
    assert.deepEqual((status as JsonObject).resourceRules, [
      { verbs: ['get'], apiGroups: [''], resources: ['bob-in-n'] },
    ]);
    const none = accessReview('SelfSubjectRulesReview', {});
    await assert.rejects(ask(none), /no namespace on request/);
  });

  it('of a server without access control say that everybody may do everything', async () => {
    await using api = await serveApi({ resources: serverResources() });
    const post = async (path: string, spec: JsonObject) =>
      (await api.send('POST', `/apis/${path}`, { spec })).body.status as JsonObject;
    const self = await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, CREATE_PODS);
    assert.deepEqual(self, { allowed: true });
    const who = await api.send('POST', `/apis/${AUTHENTICATION}/selfsubjectreviews`, {});
    assert.equal(who.code, 201);
    assert.deepEqual(who.body.status, {
      userInfo: { username: 'system:anonymous', groups: ['system:unauthenticated'] },
    });
    const rules = await post(`${AUTHORIZATION}/selfsubjectrulesreviews`, { namespace: 'a' });
    assert.deepEqual(rules.resourceRules, [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    assert.equal((await api.call('GET', `/apis/${AUTHORIZATION}/subjectaccessreviews`)).code, 405);
  });
});
