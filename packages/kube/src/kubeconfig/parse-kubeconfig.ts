import { dirname, isAbsolute, join, sep } from 'node:path';
import { ConfigError } from '../errors.ts';
import { Fields } from './fields.ts';
import type {
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigUser,
  PemSource,
} from './kubeconfig.ts';
import { readPlainYaml } from './plain-yaml.ts';
import { readExecPlugin } from './read-exec-plugin.ts';

/** Source of the text. Only a file may name other files and programs of this machine. */
export type KubeconfigOrigin = { readonly file: string } | { readonly name: string };

/** Makes paths absolute, against the folder of the kubeconfig. */
interface Locator {
  file(path: string, what: string): string;
  /** A command without a slash is looked up in the PATH, as shells do. */
  command(path: string, what: string): string;
}

const locatorFor = (origin: KubeconfigOrigin): Locator => {
  const file = (path: string, what: string): string => {
    if ('name' in origin) {
      throw new ConfigError(
        `${what} refers to ${path}, but only a kubeconfig file on this machine may refer to files and programs: put the data itself into it`,
      );
    }
    return isAbsolute(path) ? path : join(dirname(origin.file), path);
  };
  const command = (path: string, what: string): string => {
    const located = file(path, what);
    return path.includes(sep) ? located : path;
  };
  return { file, command };
};

const readYaml = async (text: string, file: string): Promise<unknown> => {
  const plain = readPlainYaml(text);
  if (plain !== undefined) return plain;
  const { composeYaml } = await import('../yaml/compose-yaml.ts');
  // The parser's own messages quote the text, which may hold secrets; only the position is reported.
  const { document, lines } = composeYaml(text, { merge: true, uniqueKeys: false });
  const [problem] = document.errors;
  if (problem) {
    const { line, col } = lines.linePos(problem.pos[0]);
    throw new ConfigError(
      `the kubeconfig ${file} is not valid YAML (${problem.code} at line ${line}, column ${col}): correct it there`,
    );
  }
  return document.toJS() ?? {};
};

const pemSource = (fields: Fields, name: string, locate: Locator): PemSource | undefined => {
  const base64 = fields.text(`${name}-data`);
  if (base64 !== undefined) return { base64 };
  const path = fields.text(name);
  return path === undefined ? undefined : { path: locate.file(path, `${name} of ${fields.where}`) };
};

const readContext = (fields: Fields, file: string): KubeconfigContext => ({
  file,
  cluster: fields.text('cluster') ?? '',
  user: fields.text('user'),
  namespace: fields.text('namespace'),
});

const readCluster = (fields: Fields, file: string, locate: Locator): KubeconfigCluster => ({
  file,
  server: fields.text('server'),
  tlsServerName: fields.text('tls-server-name'),
  insecureSkipTlsVerify: fields.flag('insecure-skip-tls-verify'),
  certificateAuthority: pemSource(fields, 'certificate-authority', locate),
  proxyUrl: fields.text('proxy-url'),
  pluginConfig: fields
    .list('extensions')
    .find((extension) => extension.text('name') === 'client.authentication.k8s.io/exec')
    ?.value('extension'),
});

const readImpersonation = (fields: Fields): KubeconfigUser['impersonate'] => {
  const user = fields.text('as');
  if (user === undefined) return undefined;
  const extra = fields.fields('as-user-extra');
  return {
    user,
    uid: fields.text('as-uid'),
    groups: fields.texts('as-groups'),
    extra: extra && Object.fromEntries(extra.names().map((name) => [name, extra.texts(name)])),
  };
};

const readUser = (fields: Fields, file: string, locate: Locator): KubeconfigUser => {
  const { where } = fields;
  const tokenFile = fields.text('tokenFile');
  const exec = fields.fields('exec');
  return {
    file,
    clientCertificate: pemSource(fields, 'client-certificate', locate),
    clientKey: pemSource(fields, 'client-key', locate),
    token: fields.text('token'),
    tokenFile: tokenFile && locate.file(tokenFile, `tokenFile of ${where}`),
    username: fields.text('username'),
    password: fields.text('password'),
    exec: exec && readExecPlugin(exec, (path) => locate.command(path, `exec of ${where}`)),
    authProvider: fields.fields('auth-provider')?.text('name'),
    impersonate: readImpersonation(fields),
  };
};

/** Reads a kubeconfig. Pure: no file is touched, and no reference between entries is followed. */
export const parseKubeconfig = async (
  text: string,
  origin: KubeconfigOrigin,
): Promise<Kubeconfig> => {
  const file = 'file' in origin ? origin.file : origin.name;
  const locate = locatorFor(origin);
  const root = new Fields(await readYaml(text, file), `the kubeconfig ${file}`);
  const entries = <T>(
    plural: string,
    singular: string,
    read: (fields: Fields, file: string, locate: Locator) => T,
  ): ReadonlyMap<string, T> => {
    const entriesByName = new Map<string, T>();
    for (const entry of root.list(plural)) {
      const name = entry.text('name') ?? '';
      const where = `${singular} "${name}" of ${file}`;
      if (entriesByName.has(name)) throw new ConfigError(`${where} stands there twice: remove one`);
      entriesByName.set(name, read(new Fields(entry.value(singular) ?? {}, where), file, locate));
    }
    return entriesByName;
  };
  return {
    files: [file],
    currentContext: root.text('current-context'),
    contexts: entries('contexts', 'context', readContext),
    clusters: entries('clusters', 'cluster', readCluster),
    users: entries('users', 'user', readUser),
  };
};
