import { keyless } from '../../call/keyless.ts';
import { router } from '../../call/operation.ts';
import { CodeRedeem, SignedIn, SignedOut, SignOut } from './schema.ts';
import { redeem, signOut } from './service.ts';

/** Contract: the app; typed client only. */
export const appCodesRouter = router({
  redeem: keyless(
    {
      summary: 'Sign in to the app',
      description:
        'Gives a key for a code of `comanda app code`, once, within ten minutes: with the permissions that its screens ' +
        'need, until it ends by itself. Repeat nothing: a repeat finds the code used.',
    },
    CodeRedeem,
    SignedIn,
    redeem,
  ),

  signOut: keyless(
    {
      summary: 'Sign out of the app',
      description:
        'Revokes a key that a code gave, for good; no limit of the key keeps that off. Every other key is refused, and so ' +
        'is one that is revoked already.',
    },
    SignOut,
    SignedOut,
    signOut,
  ),
});
