/** The user of a request, as authentication established it. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

/** A verb on a resource. Absent parts are empty. */
export interface ResourceAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly apiGroup: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly subresource: string;
  /** Empty when all objects are meant, or when the server shall give the name. */
  readonly name: string;
  /** Empty for the whole cluster. */
  readonly namespace: string;
}

/** A verb on a path that stands for no resource, such as `/healthz`. */
export interface PathAttributes {
  readonly user: UserInfo;
  readonly verb: string;
  readonly path: string;
}

/** All that a decision about a request depends on. */
export type Attributes = ResourceAttributes | PathAttributes;

/** The members of this group may do everything, whatever the policy says: they can repair a bad policy. */
export const MASTERS = 'system:masters';

export const isMaster = ({ groups = [] }: UserInfo): boolean => groups.includes(MASTERS);
