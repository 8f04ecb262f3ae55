import { writeFileSync } from 'node:fs';
import { inject, test } from 'vitest';
import { reference } from '../bundles';
import { client } from '../harness/given';
import { Place } from '../harness/place';

/** A run for test/cluster/end.test.ts to end from outside: in the midst of its work it says where that is. */
test(
  'never ends by itself',
  async () => {
    const place = await Place.make();
    await place.addNodes(2);
    await client().applyAll(place.move(reference.objects));
    writeFileSync(process.env.FACTS!, JSON.stringify({ ...inject('cluster'), worker: process.pid }));
    await new Promise(() => undefined);
  },
  2 ** 31 - 1,
);
