// File doc.

#include "x.hpp"
using namespace std;
using a::b;
LIB_NAMESPACE_BEGIN
namespace outer { namespace inner {
/// Doc of Foo.
template <typename T>
class LIB_API Foo : public Base<T>, private other::Base2 {
public:
  explicit Foo(int a) : a_(a) { init(); }
  ~Foo();
  virtual void m() const LIB_NOEXCEPT = 0;
  bool operator==(const Foo& o) const { return o.a_ == a_; }
  operator bool() const;
  static constexpr int K = 3;
  struct Inner { int x; void z() {} };
  enum class E { A, B = 2 };
  using value_type = T;
  friend void helper(Foo& f);
LIB_PRIVATE:
  int a_ = 0, b_;
  int (*fp_)(int);
};
template <typename T>
void Foo<T>::out() {
  helper<int>(x);
  auto p = new Bar(1);
  std::make_unique<Baz>(2);
  a->b.c();
  outer::inner::g([](int q) { lambda(q); });
}
template <> struct Foo<int> { };
} }
LIB_INLINE outer::Type *outer::Type::make(const std::string &name) { return nullptr; }
void LIB_CALL A::B::f() {}
concept_t plain();
int main() { Foo<int>::Inner i; return 0; }
LIB_NAMESPACE_END
