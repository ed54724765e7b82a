import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@perigee/kube/errors';
import type { Attributes, UserInfo } from '@perigee/kubernetes/authorization/attributes';
import { impersonate } from '../../src/authn/impersonate.ts';
import { wantedUser } from '../../src/authn/impersonation-headers.ts';
import { facts } from './authn-fixture.ts';

const JANE: UserInfo = { name: 'jane', groups: ['system:authenticated'] };
const LIST_PODS = {
  verb: 'list',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: '',
  namespace: '',
};

/** A right in one line: `impersonate users bob`. */
const shown = (wish: Attributes): string => {
  if ('path' in wish) return `${wish.verb} ${wish.path}`;
  const { verb, apiGroup, resource, subresource, namespace, name } = wish;
  const what = [resource, subresource].filter(Boolean).join('/');
  const where = [apiGroup, namespace, name].filter(Boolean).join(' ');
  return `${verb} ${what} ${where}`.trim();
};

/** Acts as the headers say, with exactly these rights; returns also what was asked for. */
const act = (headers: readonly string[], rights: readonly string[], user = JANE) => {
  const asked: string[] = [];
  const wanted = wantedUser(facts({ headers })) ?? assert.fail('nobody is wanted');
  const authorize = (wish: Attributes) => {
    asked.push(shown(wish));
    const isAllowed = rights.includes(shown(wish));
    return { decision: isAllowed ? ('allow' as const) : ('no-opinion' as const), reason: '' };
  };
  const attempt = { user, ...LIST_PODS };
  return { asked, result: () => impersonate(authorize, wanted, attempt) };
};

const refuses = (headers: readonly string[], rights: readonly string[], message: string): void => {
  assert.throws(act(headers, rights).result, (error) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 403);
    assert.equal(error.message, message);
    return true;
  });
};

test('who wants nobody acts as themselves', () => {
  assert.equal(wantedUser(facts({ headers: ['Accept', '*/*'] })), undefined);
  assert.equal(wantedUser(facts({ headers: ['Impersonate-User', ''] })), undefined);
});

test('headers without a user are refused as Kubernetes does', () => {
  const said = (...headers: string[]) => {
    try {
      return wantedUser(facts({ headers }));
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 400);
      return error.message;
    }
  };
  assert.equal(
    said('Impersonate-Group', 'devs', 'Impersonate-Group', 'ops'),
    'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"devs", "ops"}, Extra:map[string][]string(nil)} without impersonating a user name',
  );
  assert.equal(
    said('impersonate-uid', 'u', 'Impersonate-Extra-Scopes%2fx', 'a', 'Impersonate-Extra-A', 'b'),
    'requested &user.DefaultInfo{Name:"", UID:"u", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}, "scopes/x":[]string{"a"}}} without impersonating a user name',
  );
});

test('every part of a user takes a right of its own', () => {
  const headers = [
    ...['Impersonate-User', 'bob', 'Impersonate-Group', 'devs', 'Impersonate-Group', 'ops'],
    ...[
      'Impersonate-Uid',
      'u1',
      'Impersonate-Extra-Scopes',
      'view',
      'Impersonate-Extra-Scopes',
      'x',
    ],
  ];
  const rights = [
    'impersonate users bob',
    'impersonate uids authentication.k8s.io u1',
    'impersonate groups devs',
    'impersonate groups ops',
    'impersonate userextras/scopes authentication.k8s.io view',
    'impersonate userextras/scopes authentication.k8s.io x',
  ];
  assert.deepEqual(act(headers, rights).result(), {
    name: 'bob',
    uid: 'u1',
    groups: ['devs', 'ops', 'system:authenticated'],
    extra: { scopes: ['view', 'x'] },
  });
  for (const lacking of rights) {
    const others = rights.filter((right) => right !== lacking);
    refuses(
      headers,
      others,
      'pods is forbidden: User "jane" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    );
  }
});

test('groups follow from the name', () => {
  const groupsOf = (name: string, right: string, ...more: string[]) =>
    act(
      ['Impersonate-User', name, ...more],
      [right, 'impersonate groups system:unauthenticated'],
    ).result().groups;
  assert.deepEqual(groupsOf('system:serviceaccount:ns:sa', 'impersonate serviceaccounts ns sa'), [
    'system:serviceaccounts',
    'system:serviceaccounts:ns',
    'system:authenticated',
  ]);
  assert.deepEqual(
    groupsOf('system:serviceaccount:ns', 'impersonate users system:serviceaccount:ns'),
    ['system:authenticated'],
  );
  assert.deepEqual(groupsOf('system:anonymous', 'impersonate users system:anonymous'), [
    'system:unauthenticated',
  ]);
  const out = ['Impersonate-Group', 'system:unauthenticated'];
  assert.deepEqual(groupsOf('bob', 'impersonate users bob', ...out), ['system:unauthenticated']);
});

test('the constrained modes take the right to do it in that mode, too', () => {
  const cases = [
    {
      name: 'bob',
      rights: [
        'impersonate-on:user-info:list pods',
        'impersonate:user-info users authentication.k8s.io bob',
      ],
    },
    {
      name: 'system:serviceaccount:ns:sa',
      rights: [
        'impersonate-on:serviceaccount:list pods',
        'impersonate:serviceaccount serviceaccounts authentication.k8s.io ns sa',
      ],
    },
    {
      name: 'system:node:n1',
      rights: [
        'impersonate-on:arbitrary-node:list pods',
        'impersonate:arbitrary-node nodes authentication.k8s.io n1',
      ],
    },
  ];
  for (const { name, rights } of cases) {
    assert.equal(act(['Impersonate-User', name], rights).result().name, name);
    for (const right of rights)
      assert.throws(act(['Impersonate-User', name], [right]).result, name);
  }
  const node = act(['Impersonate-User', 'system:node:n1'], cases[2]?.rights ?? []).result();
  assert.deepEqual(node.groups, ['system:nodes', 'system:authenticated']);
});

test('a service account can be the node that it runs on', () => {
  const agent = (node: string): UserInfo => ({
    name: 'system:serviceaccount:ns:agent',
    extra: { 'authentication.kubernetes.io/node-name': [node] },
  });
  const rights = [
    'impersonate-on:associated-node:list pods',
    'impersonate:associated-node nodes authentication.k8s.io *',
  ];
  const headers = ['Impersonate-User', 'system:node:n1'];
  assert.equal(act(headers, rights, agent('n1')).result().name, 'system:node:n1');
  assert.throws(act(headers, rights, agent('n2')).result);
});

test('nobody becomes a master in a constrained mode', () => {
  const headers = ['Impersonate-User', 'bob', 'Impersonate-Group', 'system:masters'];
  refuses(
    headers,
    [
      'impersonate-on:user-info:list pods',
      'impersonate:user-info users authentication.k8s.io bob',
      'impersonate:user-info groups authentication.k8s.io system:masters',
    ],
    'groups.authentication.k8s.io "system:masters" is forbidden: User "jane" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
  );
});

test('names beyond ASCII come as UTF-8', () => {
  const sent = Buffer.from('jörg').toString('latin1');
  assert.equal(wantedUser(facts({ headers: ['Impersonate-User', sent] }))?.name, 'jörg');
});
