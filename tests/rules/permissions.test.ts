import type { ComandaClient, Permission } from '@comanda/client';
import type { LocationOptions } from '@comanda/testing';
import { expect, test } from 'vitest';
import { Grant, Permission as permissionNames, permissionsOf } from '../../packages/api/src/permissions.ts';
import { allPermissions } from '../../packages/app/src/desk/permissions-made.ts';

test.each<[string, Grant[], Permission[]]>([
  ['nothing', [], []],
  ['one permission', ['stock:read'], ['stock:read']],
  ['a resource', ['stock:*', 'turns:read'], ['stock:read', 'stock:sync', 'turns:read']],
  ['a resource whose name begins another', ['payments:*'], ['payments:read', 'payments:write']],
  ['everything', ['*'], permissionNames.options],
])('a key with %s is said to have other permissions', (_, granted, expected) => {
  expect(permissionsOf(new Set(granted))).toEqual(expected);
});

test('a permission that an older or newer release knows shows as one of this release', () => {
  expect(permissionsOf(new Set(['stock:count', 'shelves:*', 'turns:read']))).toEqual(['turns:read']);
});

test('the desk offers fewer permissions than there are, or others', () => {
  expect(allPermissions).toEqual(permissionNames.options);
});

test('a key is granted a name that is no permission', () => {
  for (const wrong of ['orders:eat', 'eat:*', 'orders', ':*', '**', '']) {
    const { error } = Grant.safeParse(wrong);
    expect(error?.issues.map(({ message }) => message)).toEqual([`unknown permission "${wrong}"`]);
  }
  expect(Grant.options).toEqual(expect.arrayContaining(['*', 'orders:*', 'payment_methods:*']));
});

test('a permission name with a typo compiles', () => {
  // @ts-expect-error in the app
  const needs: Permission = 'orders:raed';
  // @ts-expect-error in a call of the typed client
  const key: Parameters<ComandaClient['keys']['create']['mutate']>[0]['permissions'] = ['orders:raed'];
  // @ts-expect-error in the test of an application
  const location: LocationOptions = { permissions: ['orders:raed'] };
  for (const name of [needs, key[0], location.permissions?.[0]])
    expect(Grant.safeParse(name).success).toBe(false);
});
