import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VirtualClock } from '../../src/clock/virtual-clock.ts';
import { ConfigError } from '../../src/errors.ts';
import { openContext } from '../../src/kubeconfig/open-context.ts';
import { parseKubeconfig } from '../../src/kubeconfig/parse-kubeconfig.ts';
import { resolveContext } from '../../src/kubeconfig/resolve-context.ts';
import { createAuthority } from '../support/certificates.ts';

const SECRET = 'VerySecretValue';
const file = '/home/me/.kube/config';
const authority = createAuthority();
const base64 = (text: string): string => Buffer.from(text).toString('base64');

interface Parts {
  readonly cluster?: object;
  readonly user?: object;
  readonly root?: object;
}

const written = ({ cluster, user, root }: Parts): string =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server: 'https://x', ...cluster } }],
    users: [{ name: 'u', user: { token: SECRET, ...user } }],
    ...root,
  });

const open = async (text: string, context?: string) =>
  openContext(resolveContext(await parseKubeconfig(text, { file }), context), {
    env: {},
    clock: new VirtualClock(),
  });

/** Every message is one sentence that names the file, and none of them quotes a secret. */
const fails = async (text: string, message: string | RegExp, context?: string): Promise<void> => {
  const error = await open(text, context).then(
    () => assert.fail(`${message} was not told`),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof ConfigError, String(error));
  if (typeof message === 'string') assert.equal(error.message, message);
  else assert.match(error.message, message);
  assert.ok(error.message.includes('/'), error.message);
  assert.ok(!error.message.includes(SECRET) && error.cause === undefined);
};

test('YAML that is none: the position is told, and not the text', async () => {
  await fails(
    `users:\n- token: ${SECRET}\n -x`,
    /^the kubeconfig \/home\/me\/\.kube\/config is not valid YAML \(.* at line \d, column \d\): correct it there$/,
  );
  await fails(`a: "${SECRET}`, /is not valid YAML/);
  await fails(SECRET, `the kubeconfig ${file} must be a mapping of names to values`);
});

test('values of the wrong type', async () => {
  await fails(
    written({ user: { token: 123 } }),
    `token of user "u" of ${file} must be text: put it in quotes`,
  );
  await fails(
    written({ cluster: { 'insecure-skip-tls-verify': 'yes' } }),
    `insecure-skip-tls-verify of cluster "k" of ${file} must be true or false`,
  );
  await fails(
    written({ root: { users: { name: SECRET } } }),
    `users of the kubeconfig ${file} must be a list`,
  );
  await fails(
    written({ root: { users: [SECRET] } }),
    `entry 1 of users of the kubeconfig ${file} must be a mapping of names to values`,
  );
  await fails(
    written({ user: { as: 'a', 'as-groups': [1] } }),
    `as-groups of user "u" of ${file} must be a list of texts: put each in quotes`,
  );
});

test('an empty file, and contexts that are not there', async () => {
  await fails('', `${file} has no current context: choose one with --context (it has none)`);
  await fails(
    written({ root: { 'current-context': '' } }),
    `${file} has no current context: choose one with --context (it has c)`,
  );
  await fails(
    written({}),
    `there is no context "prod" in ${file}: choose another with --context (it has c)`,
    'prod',
  );
});

test('what a context names must be there', async () => {
  await fails(
    written({ root: { clusters: [] } }),
    `context "c" of ${file} names the cluster "k", which is not in ${file}: add it under clusters, or correct the context`,
  );
  await fails(
    written({ root: { users: [] } }),
    `context "c" of ${file} names the user "u", which is not in ${file}: add it under users, or correct the context`,
  );
  await fails(
    written({ cluster: { server: '' } }),
    `cluster "k" of ${file} has no server: add its URL`,
  );
  await fails(
    written({ root: { users: [{ name: 'u' }, { name: 'u' }] } }),
    `user "u" of ${file} stands there twice: remove one`,
  );
});

test('credentials that cannot be used', async () => {
  await fails(
    written({ user: { 'auth-provider': { name: 'gcp' } } }),
    `user "u" of ${file} uses the auth-provider "gcp", which Kubernetes has dropped: use the exec plugin of your provider instead`,
  );
  await fails(
    written({ user: { username: 'me', password: SECRET } }),
    `user "u" of ${file} has both a token and a user name or password: keep one of them`,
  );
  await fails(
    written({ user: { 'client-key-data': base64(SECRET) } }),
    `user "u" of ${file} has a client-key but no client-certificate: add it, or remove both`,
  );
  await fails(
    written({ user: { tokenFile: 'nowhere' } }),
    `the token file /home/me/.kube/nowhere of user "u" of ${file} cannot be read (ENOENT): check the path`,
  );
});

test('certificates that cannot be read, are none, or do not belong together', async () => {
  const mine = authority.issue({ commonName: 'me', usage: 'client' });
  const other = authority.issue({ commonName: 'you', usage: 'client' });
  const client = (cert: string, key: string) => ({
    user: { 'client-certificate-data': base64(cert), 'client-key-data': base64(key) },
  });
  await fails(
    written({ cluster: { 'certificate-authority': 'ca.crt' } }),
    `/home/me/.kube/ca.crt (certificate-authority of cluster "k" of ${file}) cannot be read (ENOENT): check the path and its permissions`,
  );
  await fails(
    written({ cluster: { 'certificate-authority-data': base64(SECRET) } }),
    `certificate-authority-data of cluster "k" of ${file} is not a certificate in PEM: replace it`,
  );
  await fails(
    written(client(SECRET, mine.key)),
    `client-certificate-data of user "u" of ${file} is not a certificate in PEM: replace it`,
  );
  await fails(
    written(client(mine.cert, SECRET)),
    `client-key-data of user "u" of ${file} is not a private key in PEM: replace it`,
  );
  await fails(
    written(client(mine.cert, other.key)),
    `client-key-data of user "u" of ${file} does not belong to client-certificate-data of user "u" of ${file}: replace one of them`,
  );
  await fails(
    written({
      cluster: {
        'certificate-authority-data': base64(authority.cert),
        'insecure-skip-tls-verify': true,
      },
    }),
    `cluster "k" of ${file} has both a certificate-authority and insecure-skip-tls-verify: keep one of them`,
  );
});

test('credential plugins that are not described well', async () => {
  const exec = (plugin: object) => written({ user: { exec: plugin } });
  const v1 = 'client.authentication.k8s.io/v1';
  await fails(
    exec({ apiVersion: v1 }),
    `command of exec of user "u" of ${file} is missing: name the program to run`,
  );
  await fails(
    exec({ command: 'x', apiVersion: 'client.authentication.k8s.io/v1alpha1' }),
    `apiVersion of exec of user "u" of ${file} must be one of ${v1}, ${v1}beta1`,
  );
  await fails(
    exec({ command: 'x', apiVersion: v1 }),
    `interactiveMode of exec of user "u" of ${file} must be one of Never, IfAvailable, Always`,
  );
  await fails(
    exec({ command: 'x', apiVersion: `${v1}beta1`, interactiveMode: 'Sometimes' }),
    `interactiveMode of exec of user "u" of ${file} must be one of Never, IfAvailable, Always`,
  );
  await fails(
    exec({ command: 'x', apiVersion: v1, interactiveMode: 'Never', env: [{ value: SECRET }] }),
    `entry 1 of env of exec of user "u" of ${file} has no name: give it one`,
  );
});

test('a kubeconfig that is not a file of this machine may name no files and no programs', async () => {
  const name = 'secret member-1';
  const refused = [
    { cluster: { 'certificate-authority': '/etc/shadow' } },
    { user: { tokenFile: '/etc/shadow' } },
    { user: { 'client-key': 'x' } },
    {
      user: {
        exec: {
          command: 'rm',
          apiVersion: 'client.authentication.k8s.io/v1',
          interactiveMode: 'Never',
        },
      },
    },
  ];
  for (const parts of refused) {
    await assert.rejects(parseKubeconfig(written(parts), { name }), {
      name: 'ConfigError',
      message:
        /of secret member-1 refers to .*, but only a kubeconfig file on this machine may refer to files and programs: put the data itself into it$/,
    });
  }
  assert.equal((await parseKubeconfig(written({}), { name })).users.size, 1);
});
