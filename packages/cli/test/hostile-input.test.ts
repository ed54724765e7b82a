import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { storedState } from '../../registration/test/stored-state.ts';
import { openStage } from './command-line.ts';

const stage = await openStage();
const [cluster, member] = ['cluster', 'member'].map(
  (of) => `--${of}-kubeconfig ${stage.kubeconfig}`,
);
after(() => stage[Symbol.asyncDispose]());

const state = (): string => storedState(stage.server.registry.store);

/** One sentence for people, and maybe a hint; nothing on the standard output, nothing written. */
const refused = async (line: string, code: number, message: RegExp, input = ''): Promise<void> => {
  const before = state();
  const args = line.split(' ').map((word) => (word === "''" ? '' : word));
  const result = await stage.run(args, { input });
  assert.deepEqual([result.code, result.stdout], [code, ''], `${line}: ${result.stderr}`);
  assert.match(result.stderr, message, line);
  assert.ok(result.stderr.length < 1_000, `${line}: ${result.stderr.length} characters`);
  assert.equal(state(), before, line);
};

const refusedAll = async (lines: readonly (readonly [string, number, RegExp])[]): Promise<void> => {
  await Promise.all(lines.map(([line, code, message]) => refused(line, code, message)));
};

describe('a name that cannot be one', () => {
  it('leads to no other object, and to no part of one', () =>
    refusedAll([
      ['get pods ../../secrets', 2, /"\.\.\/\.\.\/secrets" cannot be the name of an object/],
      ['get cm/kube-root-ca.crt/status', 2, /"kube-root-ca.crt\/status" cannot be the name/],
      ['get cm kube-root-ca.crt%2fstatus', 2, /cannot be the name of an object/],
      ['get deployment/web cm/red', 2, /"cm\/red" cannot be the name/],
      ['get pods/', 2, /"" cannot be the name/],
      ['list secrets -n default/secrets/x', 2, /cannot be the name of a namespace/],
    ]));

  it('is not cut to one that can', () =>
    refusedAll([
      ['explain deployment/web/extra', 2, /"deployment\/web\/extra" names nothing/],
      ['trigger deployment/web/extra', 2, /"deployment\/web\/extra" names nothing/],
      ['queue why deployment/web/extra', 3, /no policy propagates deployment\/web\/extra/],
      ['queue close root/status', 2, /"root\/status" cannot be the name of a queue/],
      ['failback member1/status', 2, /"member1\/status" cannot be the name of a cluster/],
      ['data plan sales/status', 2, /"sales\/status" cannot be the name of a DataSourceClaim/],
      ['data plan ..', 2, /"\.\." cannot be the name of a DataSourceClaim/],
      ['scheduler --name one/status', 2, /"one\/status" cannot be the name of a Scheduler/],
      [`agent --cluster m/status ${member}`, 2, /"m\/status" cannot be the name of a cluster/],
      [`join m/status ${cluster}`, 2, /"m\/status" cannot be the name of a cluster/],
      ['join m/status --pull --dry-run', 2, /"m\/status" cannot be the name of a cluster/],
      ['unjoin ../member1', 2, /"\.\.\/member1" cannot be the name of a cluster/],
      ['backup verify s3://', 2, /"s3:\/\/" is no place/],
      ["backup verify ''", 2, /"" is no place/],
    ]));
});

describe('a file of clusters', () => {
  const profile = (name: string, spec = '{}') =>
    `{"cluster_profile":{"cluster_name":"${name}","cluster_spec":${spec}}}`;

  it('is refused with a reason, however long, deep or large it would become', async () => {
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    const bomb = Array.from({ length: 12 }, (_, at) =>
      at === 0 ? 'l0: &l0 [x]' : `l${at}: &l${at} [${`*l${at - 1},`.repeat(9)}]`,
    ).join('\n');
    const register = 'register -f -';
    await Promise.all([
      refused(
        register,
        6,
        /:\n {2}Invalid value: .*the name must be/,
        profile('x'.repeat(600_000)),
      ),
      refused(register, 6, /the standard input .*nests too deeply/, profile('c', deep)),
      refused(register, 6, /the standard input cannot be read: .*alias/, bomb),
      refused(register, 6, /item 2 must be an object|item 2/, `[${profile('a')}, 7]`),
    ]);
  });

  it('cannot command the terminal by the names in it', async () => {
    const spec = '{"\\u001b[2J\\u009b31m":1}';
    const { code, stderr } = await stage.run(['register', '-f', '-', '--dry-run'], {
      input: profile('c', spec),
    });
    assert.equal(code, 0);
    assert.match(stderr, /unknown field "spec\./);
    assert.doesNotMatch(stderr.trimEnd(), /\p{Cc}/u);
  });
});
