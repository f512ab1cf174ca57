import { now, type SampleVariable } from './sample-variables.ts';

/** The script, line by line, that sets the variables of a request before it is sent, one call after the other. */
export function postmanSetter(variables: readonly SampleVariable[]): string[] {
  const steps = variables.map(({ name, call, body, key, before = '"id":"', after = '' }) => {
    const [method, path] = call.split(' ');
    const named = (text: string) =>
      variables.reduce((left, each) => left.replaceAll(each.example, `{{${each.name}}}`), text);
    return {
      ...{ name, method, path, pattern: `${before}([^"]*)"${after}` },
      ...(body !== undefined && { body: named(JSON.stringify(body)) }),
      ...(key !== undefined && { key }),
    };
  });
  return [
    `const steps = ${JSON.stringify(steps, null, 2)};`,
    `const filled = (text) => pm.variables.replaceIn(text.replaceAll('${now}', String(Date.now())));`,
    'const set = ([step, ...rest]) => {',
    '  if (!step) return;',
    '  const header = {',
    "    Authorization: 'Bearer ' + pm.variables.get('COMANDA_KEY'),",
    "    'Content-Type': 'application/json',",
    "    ...(step.key && { 'Idempotency-Key': filled(step.key) }),",
    '  };',
    "  const body = step.body && { mode: 'raw', raw: filled(step.body) };",
    "  pm.sendRequest({ url: pm.variables.get('COMANDA_URL') + step.path, method: step.method, header, body }, (error, answer) => {",
    "    const [, id] = new RegExp(step.pattern).exec(error ? '' : answer.text()) || [];",
    "    if (!id) throw new Error(step.name + ' cannot be set: ' + (error || answer.text()));",
    '    pm.collectionVariables.set(step.name, id);',
    '    set(rest);',
    '  });',
    '};',
    'set(steps);',
  ];
}
