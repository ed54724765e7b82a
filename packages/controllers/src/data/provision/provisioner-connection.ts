import { connectionError } from '@perigee/kube/client/connection-failure';
import { HttpTransport } from '@perigee/kube/client/http-transport';
import type { Clock } from '@perigee/kube/clock/clock';
import { deadlineAfter } from '@perigee/kube/clock/deadline';
import { ConnectionError } from '@perigee/kube/errors';
import type { ProvisionerConfig } from '@perigee/scheduling/data/provision/provisioner-config';
import { present } from '@perigee/schema/present';
import type { ProvisionerCredentials } from './provisioner-credentials.ts';

export interface ProvisionerRequest {
  readonly method: 'GET' | 'POST';
  /** An absolute URL below the configured one. */
  readonly url: string;
  readonly body?: object;
}

export interface ProvisionerResponse {
  readonly code: number;
  /** Absent if the body is not JSON. */
  readonly json?: unknown;
}

/** Fits the metadata of a large table, and bounds memory. */
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;
const NO_DEAD_PEERS = Number.POSITIVE_INFINITY;

const parseJson = (text: string): { readonly json?: unknown } => {
  try {
    return { json: JSON.parse(text) as unknown };
  } catch {
    return {};
  }
};

/**
 * A connection to one provisioner. Redirects are not followed, so that credentials only go to the address that the
 * operator configured. Tenants read errors in their claims, so no error contains that address.
 */
export class ProvisionerConnection implements AsyncDisposable {
  readonly #config: ProvisionerConfig;
  readonly #credentials: ProvisionerCredentials;
  readonly #clock: Clock;
  readonly #transport: HttpTransport;

  constructor(config: ProvisionerConfig, credentials: ProvisionerCredentials, clock: Clock) {
    this.#config = config;
    this.#credentials = credentials;
    this.#clock = clock;
    const { caBundle } = credentials;
    this.#transport = new HttpTransport(
      {
        server: config.url,
        insecureSkipTlsVerify: config.tls.insecureSkipVerify,
        ...present({ caBundle }),
      },
      { clock, deadPeerAfterMs: NO_DEAD_PEERS, largestAnswerBytes: LARGEST_ANSWER_BYTES },
    );
  }

  async send(request: ProvisionerRequest, parent: AbortSignal): Promise<ProvisionerResponse> {
    const { system, retry, url: base } = this.#config;
    using deadline = deadlineAfter(this.#clock, retry.timeoutMs, parent);
    const { signal } = deadline;
    try {
      return await this.#exchange(request, signal);
    } catch (error) {
      parent.throwIfAborted();
      const where = `the provisioner of ${system}`;
      if (signal.aborted) {
        const seconds = retry.timeoutMs / 1000;
        const message = `${where} gave no answer within ${seconds} s`;
        throw new ConnectionError(message, { failure: 'timeout' });
      }
      throw connectionError(error, { where, host: new URL(base).hostname, read: true });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  async #exchange(
    { method, url, body }: ProvisionerRequest,
    signal: AbortSignal,
  ): Promise<ProvisionerResponse> {
    const { pathname, search } = new URL(url);
    const { headers, certificate } = this.#credentials;
    const response = await this.#transport.send(
      'requests',
      {
        method,
        path: pathname + search,
        headers: {
          accept: 'application/json',
          'user-agent': 'perigee',
          ...headers,
          ...present({ 'content-type': body === undefined ? undefined : 'application/json' }),
        },
        ...present({ body: body === undefined ? undefined : JSON.stringify(body) }),
        signal,
      },
      certificate,
    );
    return { code: response.statusCode, ...parseJson(await response.body.text()) };
  }
}
