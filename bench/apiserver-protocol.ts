/** Address and credentials of a server under load. */
export interface Target {
  readonly server: string;
  readonly ca?: string;
  /** The name in the server's certificate, where it is not that of the address. */
  readonly serverName?: string;
  readonly authorization?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** The namespace that holds the objects of the benchmark and nothing else. */
  readonly namespace: string;
}

/** Kind of the watched objects: of 1 kB, or small ones. */
export type Watched = 'configmaps' | 'secrets';

/** Order to the process that makes the load; its answer is a rate per second. */
export type LoadOrder =
  | { readonly task: 'prepare'; readonly target: Target }
  | { readonly task: 'puts' | 'gets' | 'lists' }
  | {
      readonly task: 'watch';
      readonly of: Watched;
      readonly watchers: number;
      readonly writes: number;
    };

/** Task in the folder of a server that is not under load; its answer is one number. */
export type FolderTask = 'fill' | 'memory';

export const CLIENTS = 64;
export const LISTED = 5_000;
export const OBJECTS = 100_000;
