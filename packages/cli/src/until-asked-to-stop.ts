const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Resolves when the user asks for the end; a second time, the process ends at once. */
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
