/** Order to the server of the benchmark. */
export interface PlanOrder {
  /** Loses a cluster for real, and moves its work. */
  readonly lose: string;
}

export type PlanAnswer =
  | { readonly kind: 'ready'; readonly kubeconfig: string; readonly lost: string }
  /** From the loss of the cluster until no work is placed in it any more. */
  | { readonly kind: 'moved'; readonly ms: number };
