import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { DataSource } from '@perigee/api/kinds/data/data-source';
import { realClock } from '@perigee/kube/clock/real-clock';
import { stringify } from 'yaml';
import { createAuthority } from '../../kube/test/support/certificates.ts';
import { MemoryClient } from '../../kube/test/support/memory-client.ts';
import { MemoryCluster } from '../../kube/test/support/memory-cluster.ts';
import { TlsApiServer } from '../../kube/test/support/tls-api-server.ts';
import { helpOf } from '../src/output/command-help.ts';
import { createProgram } from '../src/program.ts';
import { perigee } from './command-line.ts';

suite('without a server', () => {
  test('no argument and --help teach the same', async () => {
    const [bare, help] = await Promise.all([perigee([]), perigee(['--help'])]);
    assert.deepEqual(bare, help);
    assert.equal(help.code, 0);
    assert.match(help.stdout, /Usage: perigee[\s\S]*Examples:[\s\S]*Exit codes:/);
  });

  test('version needs no server', async () => {
    const { code, stdout, stderr } = await perigee(['version']);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    assert.match(stdout, /^Perigee: \d+\.\d+\.\d+\nNode\.js: v24\.\d+\.\d+\n$/);
  });

  test('-o=json and -ojson are the same', async () => {
    const [a, b] = await Promise.all([
      perigee(['version', '-o=json']),
      perigee(['version', '-ojson']),
    ]);
    assert.deepEqual(a, b);
    assert.equal(JSON.parse(a.stdout).node, process.version);
  });

  test('an address that cannot be meant: exit code 2, with what to write', async () => {
    const [rest, webhook] = await Promise.all([
      perigee(['rest', '--port', 'abc']),
      perigee(['webhook', '--listen', 'a:b']),
    ]);
    assert.deepEqual([rest.code, webhook.code], [2, 2]);
    assert.equal(rest.stderr, 'perigee: --port abc: write a number from 0 to 65535\n');
    assert.match(webhook.stderr, /^perigee: --listen a:b: write a port, or an address and a port/);
  });

  const wrongLines: readonly (readonly [readonly string[], RegExp])[] = [
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['versoin'], /Did you mean version\?/],
    [['help', 'versoin'], /Did you mean version\?/],
    [['version', '-o', 'xml'], /Allowed choices are table, json, yaml/],
    [['agent', '--cluster', 'edge1'], /say with --member-kubeconfig how the agent reaches it/],
  ];
  for (const [args, message] of wrongLines) {
    test(`${args.join(' ')}: exit code 2, on stderr, with the way out`, async () => {
      const { code, stdout, stderr } = await perigee(args);
      assert.deepEqual({ code, stdout }, { code: 2, stdout: '' });
      assert.match(stderr, message);
      assert.match(
        stderr,
        /^perigee: .*\n(.*\n)?Run "perigee .*--help" to see what can be said\.\n$/,
      );
    });
  }
});

suite('with a server', () => {
  const folder = mkdtempSync(join(tmpdir(), 'perigee-cli-'));
  let server: TlsApiServer;

  before(async () => {
    server = await TlsApiServer.start({
      client: new MemoryClient(new MemoryCluster({ clock: realClock, kinds: [DataSource] })),
    });
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  const kubeconfig = (name: string, url = server.url, ca = server.ca): string => {
    const file = join(folder, name);
    const config = {
      'current-context': 'here',
      clusters: [
        {
          name: 'c',
          cluster: {
            server: url,
            'certificate-authority-data': Buffer.from(ca).toString('base64'),
          },
        },
      ],
      users: [{ name: 'u', user: { token: 'very-secret' } }],
      contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
    };
    writeFileSync(file, stringify(config), { mode: 0o600 });
    return file;
  };

  test('version tells the server’s too', async () => {
    const { code, stdout } = await perigee(['version', '--kubeconfig', kubeconfig('good')]);
    assert.equal(code, 0);
    assert.match(stdout, /\nServer: {2}v\d/);
  });

  test('api-resources finds a kind by any of its names, and prints it as asked', async () => {
    const env = { KUBECONFIG: kubeconfig('good') };
    const table = await perigee(['api-resources', 'datasource'], env);
    assert.match(table.stdout, /^NAME +SHORTNAMES +APIVERSION[^\n]*\ndatasources .*DataSource\n$/);
    const name = await perigee(['api-resources', 'DataSource', '-o', 'name'], env);
    assert.equal(name.stdout, 'datasources.datadependency.volcano.sh\n');
  });

  test('a kind that the server does not know: one sentence with what to do', async () => {
    const { code, stderr } = await perigee(['api-resources', 'datasorce'], {
      KUBECONFIG: kubeconfig('good'),
    });
    assert.equal(code, 3);
    assert.match(stderr, /^perigee: .*"datasorce".*did you mean datasource.*\n$/);
  });

  test('a broken kubeconfig: one sentence with the file and the place', async () => {
    const file = join(folder, 'broken');
    writeFileSync(file, 'clusters: [');
    const { code, stderr } = await perigee(['version', '--kubeconfig', file]);
    assert.equal(code, 1);
    assert.match(stderr, /^perigee: the kubeconfig \S+broken is not valid YAML \(.*line \d+.*\n$/);
  });

  test('an unreachable server: one sentence with its address', async () => {
    const file = kubeconfig('unreachable', 'https://127.0.0.1:1');
    const { code, stderr } = await perigee(['api-resources', '--kubeconfig', file]);
    assert.equal(code, 7);
    assert.match(
      stderr,
      /^perigee: .*https:\/\/127\.0\.0\.1:1 .*refused; check that the server runs.*\n$/,
    );
  });

  test('an expired certificate: one sentence that says so', async (t) => {
    const authority = createAuthority();
    const certificate = authority.issue({
      commonName: 'server',
      usage: 'server',
      names: ['127.0.0.1', 'localhost'],
      notBefore: new Date('2020-01-01'),
      notAfter: new Date('2020-01-02'),
    });
    const expired = await TlsApiServer.start({
      client: new MemoryClient(new MemoryCluster({ clock: realClock, kinds: [DataSource] })),
      authority,
      certificate,
    });
    t.after(() => expired[Symbol.asyncDispose]());
    const file = kubeconfig('expired', expired.url, expired.ca);
    const { code, stderr } = await perigee(['version', '--kubeconfig', file]);
    assert.equal(code, 7);
    assert.match(stderr, /^perigee: .*certificate.*expired.*\n$/);
    assert.doesNotMatch(stderr, /very-secret/);
  });
});

suite('the tree of commands', async () => {
  const program = await createProgram();
  for (const command of program.commands) {
    test(`${command.name()} teaches with examples, and calls itself by its name`, () => {
      const { examples } = helpOf(command) ?? { examples: [] };
      assert.ok(examples.length > 0);
      for (const [line] of examples) {
        assert.ok(line.includes(`perigee ${command.name()}`), line);
        assert.ok(line.length <= 98, `too long for a page: ${line}`);
      }
      assert.match(command.description(), /^[A-Z].*[^.]$/);
    });
  }
});
