import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from './free-ports.ts';
import { PeerProcess } from './peer-process.ts';

/** A kube-apiserver with an etcd of its own, until it is disposed. */
export interface ControlPlane extends AsyncDisposable {
  readonly kubeconfig: string;
  /** The processes of both. */
  readonly pids: readonly number[];
}

/**
 * Admission that the embedded server leaves to others: with it on, every pod and claim would
 * differ. Without controllers nothing acts on what it adds.
 */
const LEFT_OUT = ['PersistentVolumeClaimResize', 'ServiceAccount', 'StorageObjectInUseProtection'];
/** Admission that the recorded built-in kinds are without, besides. */
const LEFT_OUT_OF_KINDS = ['DefaultTolerationSeconds', 'Priority'];
/** The flag of etcd that gives up durability. */
export const NO_FSYNC = '--unsafe-no-fsync';
export const FOR_RECORDING = '--for-recording';
export const FOR_RECORDING_KINDS = '--for-recording-kinds';
const READY_MS = 120_000;
const PAUSE_MS = 250;

const kubeconfigOf = (port: number, certificate: string, token: string): object => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'peer',
  clusters: [
    {
      name: 'peer',
      cluster: {
        server: `https://127.0.0.1:${port}`,
        'certificate-authority': certificate,
        'tls-server-name': 'kubernetes',
      },
    },
  ],
  users: [{ name: 'admin', user: { token } }],
  contexts: [{ name: 'peer', context: { cluster: 'peer', user: 'admin' } }],
});

const isReady = (port: number, certificate: string, token: string): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` };
    const where = { host: '127.0.0.1', port, path: '/readyz', servername: 'kubernetes' };
    try {
      const probe = request({ ...where, ca: readFileSync(certificate), headers, agent: false });
      probe.once('error', () => resolve(false));
      probe.once('response', (answer) => resolve(answer.resume().statusCode === 200));
      probe.end();
    } catch {
      // The server has not made its certificate yet.
      resolve(false);
    }
  });

const untilReady = async (ask: () => Promise<boolean>): Promise<void> => {
  for (let leftMs = READY_MS; leftMs > 0; leftMs -= PAUSE_MS) {
    if (await ask()) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Error(`kube-apiserver was not ready after ${READY_MS / 1000} s`);
};

const writeServiceAccountKeys = (folder: string) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const files = { publicKey: join(folder, 'sa.pub'), privateKey: join(folder, 'sa.key') };
  writeFileSync(files.publicKey, publicKey.export({ type: 'spki', format: 'pem' }));
  const secret = privateKey.export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(files.privateKey, secret, { mode: 0o600 });
  return files;
};

export interface ControlPlaneOptions {
  /** True if a write is on the disk before it is answered, as everywhere but in tests. */
  readonly isDurable?: boolean;
  /** Has the service range with which answers were recorded, or the admission of the built-in kinds besides. */
  readonly recording?: 'answers' | 'kinds';
}

/** Starts `etcd` and `kube-apiserver` of the folder on free ports of the loopback address. */
export const startControlPlane = async (
  binaries: string,
  { isDurable = true, recording }: ControlPlaneOptions = {},
): Promise<ControlPlane> => {
  await using stack = new AsyncDisposableStack();
  const leftOut = recording === 'kinds' ? [...LEFT_OUT, ...LEFT_OUT_OF_KINDS] : LEFT_OUT;
  const folder = mkdtempSync(join(tmpdir(), 'perigee-peer-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [clients, peers, port] = (await freePorts(3)) as [number, number, number];
  const etcdUrl = `http://127.0.0.1:${clients}`;
  const etcd = new PeerProcess(
    join(binaries, 'etcd'),
    [
      `--data-dir=${join(folder, 'etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peers}`,
      ...(isDurable ? [] : [NO_FSYNC]),
    ],
    join(folder, 'etcd.log'),
  );
  stack.use(etcd);
  const token = randomUUID();
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, `${token},admin,1,system:masters\n`, { mode: 0o600 });
  const keys = writeServiceAccountKeys(folder);
  const server = new PeerProcess(
    join(binaries, 'kube-apiserver'),
    [
      `--etcd-servers=${etcdUrl}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--cert-dir=${join(folder, 'certs')}`,
      `--token-auth-file=${tokens}`,
      '--authorization-mode=RBAC',
      '--service-account-issuer=https://kubernetes.default',
      `--service-account-key-file=${keys.publicKey}`,
      `--service-account-signing-key-file=${keys.privateKey}`,
      `--service-cluster-ip-range=${recording === undefined ? '10.96.0.0/12' : '10.0.0.0/24'}`,
      `--disable-admission-plugins=${leftOut.join(',')}`,
    ],
    join(folder, 'kube-apiserver.log'),
  );
  stack.use(server);
  const certificate = join(folder, 'certs', 'apiserver.crt');
  const ready = untilReady(() => isReady(port, certificate, token));
  await Promise.race([ready, etcd.failed, server.failed]);
  const kubeconfig = join(folder, 'kubeconfig');
  const config = JSON.stringify(kubeconfigOf(port, certificate, token), null, 2);
  writeFileSync(kubeconfig, config, { mode: 0o600 });
  const resources = stack.move();
  const pids = [etcd, server].flatMap(({ pid }) => pid ?? []);
  return { kubeconfig, pids, [Symbol.asyncDispose]: () => resources.disposeAsync() };
};
