import { operation, router } from '../../call/operation.ts';
import {
  ClosedTurn,
  OpenTurn,
  OpenTurnGet,
  Turn,
  TurnById,
  TurnClose,
  TurnList,
  TurnPage,
} from './schema.ts';
import * as turns from './service.ts';

/** Specification: v2, named only; contract: turns. */
export const turnsRouter = router({
  list: operation({
    permission: 'turns:read',
    summary: 'List turns',
    description: 'Newest first.',
    rest: ['GET /v2/turns'],
  })
    .input(TurnList)
    .output(TurnPage)
    .query(({ ctx, input }) => turns.list(ctx, input)),

  getCurrent: operation({
    permission: 'turns:read',
    summary: 'Read the open turn',
    description: 'With its totals so far. Answers 404 when none is open.',
    rest: ['GET /v2/turns/current'],
    errors: ['resource_not_found'],
  })
    .input(OpenTurnGet)
    .output(OpenTurn)
    .query(({ ctx, input }) => turns.getCurrent(ctx, input)),

  get: operation({
    permission: 'turns:read',
    summary: 'Read a turn',
    description: 'With its totals, which are final once it is closed.',
    rest: ['GET /v2/turns/{id}'],
    errors: ['resource_not_found'],
  })
    .input(TurnById)
    .output(Turn)
    .query(({ ctx, input }) => turns.get(ctx, input.id)),

  open: operation({
    permission: 'turns:write',
    summary: 'Open a turn',
    description: 'One at most is open; orders made meanwhile belong to it.',
    errors: ['conflict'],
  })
    .output(Turn)
    .mutation(({ ctx }) => turns.open(ctx)),

  close: operation({
    permission: 'turns:write',
    summary: 'Close the open turn',
    description:
      'Makes its settlement. With `open_next` the next turn is open from the same moment on. With `counted` the answer has the drawer.',
    errors: ['conflict'],
  })
    .input(TurnClose)
    .output(ClosedTurn)
    .mutation(({ ctx, input }) => turns.close(ctx, input)),
});
