#pragma once
namespace n { class A { void m(); }; }
inline void n::A::m() {}
