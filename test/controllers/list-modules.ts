import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const list = process.env.TEST_MODULE_LIST;

// Preloaded into a process of a test: every module that the process loads gets a line in the list.
registerHooks({
  load: (url, context, load) => {
    if (list !== undefined) appendFileSync(list, `${url}\n`);
    return load(url, context);
  },
});
