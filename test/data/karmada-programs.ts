import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realClock } from '@perigee/kube/clock/real-clock';
import { createAuthority, issueCertificate } from '@perigee/kube/pki/certificate-authority';
import { authorityValidity, leafValidity } from '@perigee/kube/pki/validity';
import { freePorts } from '../../tools/peers/free-ports.ts';
import { PeerProcess } from '../../tools/peers/peer-process.ts';

const { PERIGEE_TEST_KARMADA: folder = '' } = process.env;

const areThere = (names: readonly string[]): boolean =>
  names.every((name) => existsSync(join(folder, name)));

const PROGRAMS = ['karmada-controller-manager', 'karmada-scheduler', 'karmada-webhook'];

/** Why tests beside a whole Karmada cannot run here; false when they can. */
export const noKarmada =
  !areThere(PROGRAMS) &&
  `there is no Karmada: set PERIGEE_TEST_KARMADA to a folder in which tools/peers/build.sh made ${PROGRAMS.join(', ')}`;

const KUBERNETES = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

/** True if the folder has a Kubernetes API server and its controllers, too. */
export const hasApiServer = areThere(KUBERNETES);

/** Why tests on a Kubernetes API server of their own cannot run here; false when they can. */
export const noApiServer =
  !hasApiServer &&
  `set PERIGEE_TEST_KARMADA to a folder in which tools/peers/build.sh made ${KUBERNETES.join(', ')}`;

export const karmadaFolder = folder;

const SOURCES = join(folder, 'src/karmada');
/** The definitions of Karmada's own kinds. */
export const KARMADA_CRDS = join(SOURCES, 'charts/karmada/_crds/bases');
const WEBHOOKS = join(SOURCES, 'artifacts/deploy/webhook-configuration.yaml');
const WEBHOOK_URL = 'https://karmada-webhook.karmada-system.svc:443';

const DAY_MS = 86_400_000;

export interface KarmadaProgram extends AsyncDisposable {
  readonly pid: number;
  said(): string;
}

/** Runs a program of Karmada until it is disposed. What it says is in a file of the folder. */
export const startKarmadaProgram = (
  name: string,
  kubeconfig: string,
  logs: string,
  flags: readonly string[] = [],
): KarmadaProgram => {
  const log = join(logs, `${name}.log`);
  const quiet = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
  const child = new PeerProcess(
    join(folder, name),
    [`--kubeconfig=${kubeconfig}`, ...quiet, ...flags],
    log,
  );
  return {
    pid: child.pid ?? 0,
    said: () => readFileSync(log, 'utf8'),
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
};

/** Runs Karmada's webhook, and gives the configuration by which a server asks it, as YAML. */
export const startKarmadaWebhook = async (kubeconfig: string, logs: string) => {
  const now = realClock.now();
  const authority = createAuthority('karmada-webhook-ca', authorityValidity(now, DAY_MS));
  const { cert, key } = issueCertificate(authority, {
    commonName: 'karmada-webhook',
    usage: 'server',
    names: ['127.0.0.1'],
    validity: leafValidity(now, DAY_MS),
  });
  const keys = join(logs, 'webhook-keys');
  mkdirSync(keys);
  writeFileSync(join(keys, 'tls.crt'), cert);
  writeFileSync(join(keys, 'tls.key'), key, { mode: 0o600 });
  const [port] = await freePorts(1);
  const flags = [`--cert-dir=${keys}`, '--bind-address=127.0.0.1', `--secure-port=${port}`];
  const program = startKarmadaProgram('karmada-webhook', kubeconfig, logs, flags);
  const configuration = readFileSync(WEBHOOKS, 'utf8')
    .replaceAll(WEBHOOK_URL, `https://127.0.0.1:${port}`)
    .replaceAll('{{caBundle}}', Buffer.from(authority.cert).toString('base64'));
  return { ...program, configuration };
};
