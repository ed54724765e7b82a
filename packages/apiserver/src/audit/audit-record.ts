import { isIP } from 'node:net';
import type { Clock } from '@perigee/kube/clock/clock';
import type { Status } from '@perigee/kube/errors';
import type { UserInfo } from '@perigee/kubernetes/authorization/attributes';
import type { JsonObject, JsonValue } from '@perigee/schema/json';
import { present, unlessEmpty } from '@perigee/schema/present';
import { formatMicroTime } from '@perigee/schema/values/time';
import type { Request, Response } from '../request/request.ts';
import type { RequestTarget } from '../request/request-target.ts';
import type { AuditEvent, AuditLevel, AuditUser, ObjectReference } from './audit-event.ts';
import { redactedUri } from './redacted-uri.ts';

/** Resources whose bodies must not be logged. */
const CONFIDENTIAL: ReadonlySet<string> = new Set([
  'secrets',
  'configmaps',
  'tokenreviews',
  // Whole objects on their way to a member, Secrets among them.
  'works',
  'serviceaccounts/token',
]);

/** True if the body of a request to a resource must not be logged at any level. */
const isConfidential = (target: RequestTarget | undefined): boolean => {
  if (target === undefined) return true;
  const { plural, subresource } = target;
  return (
    CONFIDENTIAL.has(plural) ||
    (subresource !== undefined && CONFIDENTIAL.has(`${plural}/${subresource}`))
  );
};

/** Receives the facts of an audited request as they become available. */
export interface AuditNotes {
  /** Sets the user of the request. */
  isFrom(user: UserInfo): void;
  /** Sets the impersonated user. */
  actsAs(user: UserInfo): void;
  annotate(key: string, value: string): void;
}

/** The cluster of the request; Kubernetes has no field for that. */
const CLUSTER = 'perigee.io/cluster';
const WEB_SOCKET = 101;

const auditUser = ({ name, uid, groups, extra }: UserInfo): AuditUser => ({
  username: name,
  ...present({ uid, groups: groups && unlessEmpty(groups), extra }),
});

const referenceTo = (target: RequestTarget): ObjectReference => ({
  resource: target.plural,
  ...present({
    namespace: target.namespace,
    name: target.name,
    apiGroup: unlessEmpty(target.group),
  }),
  apiVersion: target.version,
  ...present({ subresource: target.subresource }),
});

/** Proxies add the address of their client; the last address is that of the connection. */
const sourcesOf = ({ headers, socket }: Request): readonly string[] => {
  const passedOn = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((one) => one.trim());
  const { remoteAddress = '' } = socket ?? {};
  const addresses = [...passedOn, remoteAddress].filter((one) => isIP(one) !== 0);
  return [...new Set(addresses)];
};

/** The audit event of one request, built while the request runs. */
export class AuditRecord implements AuditNotes {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #level: AuditLevel;
  readonly #report: (event: AuditEvent) => void;
  readonly #request: Request;
  readonly #id: string;
  readonly #received: number;
  readonly #annotations: { [key: string]: string } = {};
  #verb = '';
  #target: RequestTarget | undefined;
  #user: UserInfo | undefined;
  #other: UserInfo | undefined;
  #failure: Status | undefined;
  #body: JsonValue | undefined;

  constructor(
    around: { clock: Pick<Clock, 'now'>; level: AuditLevel; report: (event: AuditEvent) => void },
    request: Request,
    id: string,
  ) {
    this.#clock = around.clock;
    this.#level = around.level;
    this.#report = around.report;
    this.#request = request;
    this.#id = id;
    this.#received = this.#clock.now();
  }

  /** Sets the verb, the target and the cluster of the request. */
  wants(verb: string, target: RequestTarget | undefined, cluster: string): void {
    this.#verb = verb;
    this.#target = target;
    this.annotate(CLUSTER, cluster);
  }

  isFrom(user: UserInfo): void {
    this.#user ??= user;
  }

  actsAs(user: UserInfo): void {
    this.#other = user;
  }

  annotate(key: string, value: string): void {
    if (value !== '') this.#annotations[key] ??= value;
  }

  /** Keeps the body of the request, if the level is `Request` and the resource is not confidential. */
  carries(body: JsonValue): void {
    if (this.#level === 'Request' && !isConfidential(this.#target)) this.#body = body;
  }

  fails(status: Status): void {
    this.#failure = status;
  }

  /** Records the start of the response: a stream has no end for long. */
  starts(code: number): void {
    if (this.#verb === 'watch') this.#report(this.#event('ResponseStarted', code));
  }

  ends({ headersSent, statusCode }: Response, isUpgrade: boolean): void {
    const code = headersSent ? statusCode : isUpgrade ? WEB_SOCKET : undefined;
    this.#report(this.#event('ResponseComplete', code));
  }

  #statusOf(code: number | undefined): JsonObject | undefined {
    if (code === undefined) return undefined;
    const { status, message, reason } = this.#failure ?? {};
    return {
      metadata: {},
      ...present({ status, message, reason }),
      code,
    };
  }

  #event(stage: AuditEvent['stage'], code: number | undefined): AuditEvent {
    const { method = '', url = '/', headers } = this.#request;
    const responseStatus = this.#statusOf(code);
    const userAgent = headers['user-agent'];
    return {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: this.#level,
      auditID: this.#id,
      stage,
      requestURI: redactedUri(url),
      verb: this.#verb || method.toLowerCase(),
      user: this.#user === undefined ? {} : auditUser(this.#user),
      ...present({ impersonatedUser: this.#other && auditUser(this.#other) }),
      sourceIPs: sourcesOf(this.#request),
      ...present({
        userAgent,
        objectRef: this.#target && referenceTo(this.#target),
        responseStatus,
        requestObject: this.#body,
      }),
      requestReceivedTimestamp: formatMicroTime(this.#received),
      stageTimestamp: formatMicroTime(this.#clock.now()),
      annotations: { ...this.#annotations },
    };
  }
}
