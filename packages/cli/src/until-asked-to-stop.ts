const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves on the first SIGINT or SIGTERM; the second ends the process at once. */
export const untilAskedToStop = (): Promise<void> =>
  new Promise((resolve) => {
    let isAsked = false;
    const stop = (): void => {
      if (isAsked) process.exit(130);
      isAsked = true;
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
