import type { ReadPodLog } from '@perigee/kube/client/pod-logs';

/** The provider of container logs, if pods run in the cluster. */
export class PodLogSource {
  #read: ReadPodLog | undefined;

  /** Absent while no pods run. */
  get read(): ReadPodLog | undefined {
    return this.#read;
  }

  /** Asks them from now on, until the result is disposed. */
  serve(read: ReadPodLog): Disposable {
    this.#read = read;
    return {
      [Symbol.dispose]: () => {
        if (this.#read === read) this.#read = undefined;
      },
    };
  }
}
