import type { oas31 } from 'zod-openapi';
import { faults, faultsOf, type Met, mostSeconds } from '../request/simulation.ts';

/** An operation of each kind that faults distinguish, by the name of its component. */
const kinds = {
  Simulate: { kind: 'query', name: '' },
  SimulateWrite: { kind: 'mutation', name: '' },
  SimulateOrder: { kind: 'mutation', name: 'orders.create' },
  SimulateBatch: { kind: 'mutation', name: 'stock.sync' },
  SimulateStream: { kind: 'subscription', name: '' },
} as const satisfies Record<string, Met>;

/** The header `X-Comanda-Simulate` of operations that meet the same faults. Contract: sandbox. */
export const simulateParameters: Readonly<Record<string, oas31.ParameterObject>> = Object.fromEntries(
  Object.entries(kinds).map(([name, operation]) => [name, simulateParameter(operation)]),
);

/** A reference to the header as an operation takes it. Throws for one that meets other faults than any kind. */
export function simulateOf(operation: Met): oas31.ReferenceObject {
  const wanted = faultsOf(operation).join();
  const found = Object.entries(kinds).find(([, kind]) => faultsOf(kind).join() === wanted);
  if (found === undefined)
    throw new Error(`no kind of simulate.ts meets what ${operation.name} does: ${wanted}`);
  return { $ref: `#/components/parameters/${found[0]}` };
}

function simulateParameter(operation: Met): oas31.ParameterObject {
  const met = faultsOf(operation);
  const lasting = met.filter((name) => 'seconds' in faults[name]);
  const others = met.filter((name) => !lasting.includes(name));
  const seconds = `( *; *seconds *= *(0?[0-9]|${mostSeconds}))?`;
  const forms = [`(${lasting.join('|')})${seconds}`, ...others];
  const meanings = met.map((name) => `\`${name}\`: ${faults[name].does}`).join('; ');
  return {
    ...{ name: 'X-Comanda-Simulate', in: 'header', required: false },
    description: `Of a key of a sandbox alone: plays a fault, and \`X-Comanda-Simulated\` names it. ${meanings}.`,
    schema: { type: 'string', pattern: `^(${forms.join('|')})$` },
  };
}
