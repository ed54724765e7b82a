import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface CloudOptions {
  readonly tls?: { readonly cert: string; readonly key: string };
  /** True for an administrator, who sees the hypervisors. */
  readonly isAdmin?: boolean;
  readonly hasVolumes?: boolean;
}

type Body = { readonly [field: string]: unknown };

const LIMITS = {
  maxTotalCores: 100,
  totalCoresUsed: 12,
  maxTotalRAMSize: 204_800,
  totalRAMUsed: 24_576,
  maxTotalInstances: 20,
  totalInstancesUsed: 3,
};
const VOLUME_LIMITS = {
  maxTotalVolumeGigabytes: 5000,
  totalGigabytesUsed: 120,
  maxTotalVolumes: -1,
  totalVolumesUsed: 4,
};

/** A cloud that speaks as much of Keystone, Nova and Cinder as is asked of it. */
export class OpenStackCloud implements AsyncDisposable {
  /** Received requests, such as `GET /compute/limits`. */
  readonly requests: string[] = [];
  /** The last thing that was posted to get a token. */
  loggedInWith: unknown;
  expiresAt = '2030-01-01T00:00:00.000000Z';
  password = 'right';
  /** Answers for single paths, in the place of the usual ones. */
  readonly instead = new Map<string, (response: ServerResponse) => void>();
  #tokens = 0;
  #validTokens = new Set<string>();
  readonly #options: CloudOptions;
  readonly #server: Server;

  private constructor(options: CloudOptions) {
    this.#options = options;
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(request, response);
    this.#server =
      options.tls === undefined ? createServer(handle) : createTlsServer(options.tls, handle);
  }

  static async start(options: CloudOptions = {}): Promise<OpenStackCloud> {
    const cloud = new OpenStackCloud(options);
    cloud.#server.listen(0, '127.0.0.1');
    await once(cloud.#server, 'listening');
    return cloud;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
  }

  /** Makes all tokens invalid. */
  revokeTokens(): void {
    this.#validTokens.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    const close = once(this.#server, 'close');
    this.#server.close();
    await close;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    this.requests.push(`${request.method} ${pathname}${search}`);
    const body = await text(request);
    const instead = this.instead.get(pathname);
    if (instead !== undefined) return instead(response);
    if (pathname === '/v3/auth/tokens') return this.#logIn(JSON.parse(body), response);
    if (!this.#validTokens.has(String(request.headers['x-auth-token']))) {
      return send(response, 401, { error: { message: 'no such token', code: 401 } });
    }
    const resource = this.#find(pathname, search);
    send(
      response,
      resource === undefined ? 404 : 200,
      resource ?? { itemNotFound: { message: 'none' } },
    );
  }

  #logIn({ auth }: { auth?: { identity?: Body } }, response: ServerResponse): void {
    this.loggedInWith = auth;
    const { password, application_credential: credential } = (auth?.identity ?? {}) as {
      password?: { user: { password: string } };
      application_credential?: { secret: string };
    };
    if ((password?.user.password ?? credential?.secret) !== this.password) {
      send(response, 401, { error: { message: 'The request requires authentication', code: 401 } });
      return;
    }
    this.#tokens += 1;
    const token = `token-${this.#tokens}`;
    this.#validTokens.add(token);
    const service = (type: string, path: string) => ({
      type,
      endpoints: [
        { interface: 'internal', region_id: 'RegionOne', url: 'http://10.0.0.1' },
        { interface: 'public', region_id: 'RegionOne', url: this.url + path },
      ],
    });
    const volumes =
      this.#options.hasVolumes === false ? [] : [service('block-storage', '/volume/v3')];
    response.setHeader('x-subject-token', token);
    send(response, 201, {
      token: {
        expires_at: this.expiresAt,
        catalog: [service('identity', ''), service('compute', '/compute'), ...volumes],
      },
    });
  }

  #find(pathname: string, search: string): Body | undefined {
    switch (pathname) {
      case '/compute/limits':
        return { limits: { rate: [], absolute: LIMITS } };
      case '/compute/flavors/detail':
        return search === ''
          ? {
              flavors: [{ id: '1', name: 'm1.small', vcpus: 1, ram: 2048, disk: 20 }],
              flavors_links: [{ rel: 'next', href: `${this.url}/compute/flavors/detail?marker=1` }],
            }
          : { flavors: [{ id: '2', name: 'm1.huge', vcpus: 48, ram: 98_304, disk: 80 }] };
      case '/compute/os-hypervisors/statistics':
        return this.#options.isAdmin === true
          ? { hypervisor_statistics: { vcpus: 96, memory_mb: 524_288, vcpus_used: 12 } }
          : undefined;
      case '/volume/v3/limits':
        return { limits: { absolute: VOLUME_LIMITS } };
      case '/volume/v3/types':
        return {
          volume_types: [
            { id: 'a', name: 'ssd-fast' },
            { id: 'b', name: 'archive' },
          ],
        };
      default:
        return undefined;
    }
  }
}

const send = (response: ServerResponse, code: number, body: Body): void => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};
