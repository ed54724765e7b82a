/**
 * A provisioner for Perigee: it is asked by POST where some data is, and answers from a catalogue. Replace the
 * catalogue by yours, such as a Hive metastore. docs/provisioner-api.yaml describes what is asked and answered.
 *
 *     node examples/provisioner/server.ts examples/provisioner/catalogue.txt 7681
 *
 * Each line of the catalogue is the name of some data, where it is stored, and how much it is.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';

interface Question {
  readonly claim?: { readonly spec?: { readonly dataSourceName?: string } };
}

const MOST_BYTES = 1024 * 1024;

const catalogueIn = (file: string): ReadonlyMap<string, object> =>
  new Map(
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('#'))
      .map((line) => {
        const [name = '', location = '', size = ''] = line.trim().split(/\s+/);
        return [name, { found: true, location, size }];
      }),
  );

/** Reads the file for each question, so that data can come and go while it runs. */
export const startProvisioner = (file: string, port: number): Server =>
  createServer((request, response) => {
    const answer = (code: number, body: object): void => {
      response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length > MOST_BYTES) request.destroy();
    });
    request.on('end', () => {
      try {
        const { claim } = JSON.parse(text) as Question;
        const name = claim?.spec?.dataSourceName ?? '';
        const found = catalogueIn(file).get(name);
        if (found === undefined)
          answer(404, { found: false, message: `nobody has written ${name}` });
        else answer(200, found);
      } catch (error) {
        answer(400, { message: String(error) });
      }
    });
  }).listen(port, '127.0.0.1');

const [, script, file, port] = process.argv;
if (script === import.meta.filename && file !== undefined) startProvisioner(file, Number(port));
