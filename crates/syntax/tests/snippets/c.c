/*
 * File doc.
 */
#include <stdio.h>
#include "local.h"
#define LIMIT 10
#define GUARD
#define MAX(a, b) ((a) > (b) ? (a) : (b))

struct point { int x, *y; struct point *next; };
typedef struct { int q; } Anon;
typedef struct named { int q; } named;
typedef unsigned long word;
typedef int (*callback)(struct point *p, word w);
enum mode { FAST, SLOW = 2 };
union value { int i; };
extern int declared;
static const char *names[] = { "a" };
int counter = 0, other;
int only_declared(struct point *p);
static int defined(int a);

/* Adds. */
static int
defined(int a)
{
	int local = LIMIT;
	helper(MAX(a, 1));
	p->next->call(p);
	Anon x = (Anon){ 1 };
	return only_declared(&x);
}

word *pointer_result(void) { return 0; }
int old_style(a) int a; { return a; }
