import { expect, test } from 'vitest';
import { useApi } from '../support/api.ts';
import { makeFolder, runTool, servedDocument, toolFile, versions } from './tool.ts';

const api = useApi();

const program = `
  import parser from ${JSON.stringify(toolFile('@apidevtools/swagger-parser/lib/index.js'))};
  await parser.validate('openapi.json');
`;
const validate = async (document: unknown): Promise<string> => {
  const { folder, remove } = makeFolder(document);
  return runTool(folder, ['--input-type=module', '-e', program]).finally(remove);
};

test.each(versions)('swagger-parser finds the %s document valid', async (version) => {
  expect(await validate(await servedDocument(api.url, version))).toBe('');
});

test('swagger-parser finds what is wrong with a document', async () => {
  const document = await servedDocument(api.url, 'v1');
  await expect(
    validate({ ...document, paths: { '/v1/orders': { get: { parameters: 1 } } } }),
  ).rejects.toThrow(/must be array|validation failed/);
});
